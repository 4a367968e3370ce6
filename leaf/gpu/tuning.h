#pragma once
// The numbers that were chosen by measuring, and by which: docs/measurements.
#include <cstddef>
#include <cstdint>

namespace frond::leaf::gpu {

// Plans that one launch takes, and their terms. Larger batches are cut, so that the host prepares one part while the
// device searches another.
inline constexpr std::uint32_t kMaxQueries = 512;
inline constexpr std::uint32_t kMaxTerms = 4096;
inline constexpr std::uint32_t kMaxQueryTerms = 32;  // more: the CPU
inline constexpr std::uint32_t kMaxHits = 1000;

// Bins of a query's histogram of scores: a threshold is exact to a thousandth of the best score there can be.
inline constexpr std::uint32_t kBins = 1024;
// Documents that may wait for the selection, of a query: a batch shares them out.
inline constexpr std::uint32_t kMaxCandidates = 32768, kMinCandidates = 2048;
// Candidates behind the threshold that the selection sorts in shared memory.
inline constexpr std::uint32_t kSorted = 4096;

// Blocks of a driving list that one warp takes at most: their entries come with one load, a lane an entry.
inline constexpr std::uint32_t kMaxChunk = 32;
// Tasks that a launch should have for its work, before it makes them larger; and the least and most that one is, in
// look-ups of 32 documents. Far more than the most made a launch wait for a few warps: 90 % of the device idle.
inline constexpr std::uint32_t kWantedTasks = 12288, kMinWork = 2, kMaxWork = 64;
inline constexpr std::uint32_t kMaxSplit = 2;  // parts of 32 postings
// Warps of a processor that search, and how many of them are a thread block.
inline constexpr std::uint32_t kSearchWarps = 32, kSearchBlockWarps = 4;
// Places in a batch's tasks that are worked on at the same time.
inline constexpr std::uint32_t kColumns = 2048;

}  // namespace frond::leaf::gpu
