#pragma once
// What a message may hold at most. The reader refuses more as kCorrupt; a writer must not send it.
#include <cstddef>

namespace frond::wire {

inline constexpr std::size_t kMaxMessageBytes = 64u << 20;
inline constexpr std::size_t kMaxRequestBytes = 4u << 20;  // what a leaf's socket takes; the largest request is smaller
inline constexpr std::size_t kMaxTerms = 512;
inline constexpr std::size_t kMaxTermBytes = 1024;
inline constexpr std::size_t kMaxPartitions = 4096;
inline constexpr std::size_t kMaxHits = 10'000;
inline constexpr std::size_t kMaxOrdinals = 1000;
inline constexpr std::size_t kMaxBrokerNameBytes = 256;
inline constexpr std::size_t kMaxGenerations = 64;  // in one HelloReply

}  // namespace frond::wire
