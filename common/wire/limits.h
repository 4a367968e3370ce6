#pragma once
// The largest counts, sizes and times that a message may hold. A reader refuses more as kCorrupt; a writer must not
// send more. A term has at most text::kMaxTermBytes.
#include <chrono>
#include <cstddef>

namespace frond::wire {

inline constexpr std::size_t kMaxMessageBytes = 64u << 20;
inline constexpr std::size_t kMaxRequestBytes = 4u << 20;  // of a request to a leaf; encoded ones are smaller
inline constexpr std::size_t kMaxTerms = 512;
inline constexpr std::size_t kMaxPartitions = 4096;
inline constexpr std::size_t kMaxDepth = 10'000;                // hits of one ranking: a search's offset + k
inline constexpr std::size_t kMaxOrdinals = 1000;               // documents of one fetch: the hits of a page
inline constexpr std::size_t kMaxFetchedIdBytes = 4096;         // of a fetch by id; ingest takes fewer
inline constexpr std::size_t kMaxFetchedBodyBytes = 32u << 20;  // of a document by id; the rest is cut off
inline constexpr std::size_t kMaxBrokerNameBytes = 256;
inline constexpr std::size_t kMaxCollectionNameBytes = 1024;
inline constexpr std::size_t kMaxGenerations = 64;  // in one HelloReply
inline constexpr std::chrono::hours kMaxBudget{1};  // of a search or fetch; a leaf takes a longer one for this
inline constexpr std::size_t kMaxRuns = 16;         // in one SearchReply: a leaf sends one for AND, one for OR

}  // namespace frond::wire
