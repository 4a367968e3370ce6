#pragma once
// Which partitions a compaction merges. Partitions are taken in groups: those that were made together. Their ordinals
// interleave (a build's), or they are parts of one merge: side by side, of the same size, made for the same generation.
// What is merged are adjacent groups, so that documents keep their order.
//
// A group's tier is the power of `width` that its documents reach, from kSmallest on. At the lowest tier first: a run
// of adjacent groups of this tier or lower ones, with at least `width` of this tier, becomes one group. So a document
// is written about once a tier, and there are less than `width` groups of a tier side by side. A group of which more
// than `hidden_share` is hidden is written anew by itself. What does not fit into memory together is merged in pieces
// that do, of at least `width` groups, or stays.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/repository/manifest.h"

namespace frond::indexer::change {

struct TierRules {
  std::uint32_t width = 8;    // at least 2
  double hidden_share = 0.2;  // of a group's documents
  bool all = false;           // everything becomes one group, without hidden documents
};

// Documents up to which a group is of the lowest tier.
inline constexpr std::uint64_t kSmallest = 10'000;

struct Merge {
  std::vector<std::size_t> sources;  // partitions, by number, ascending
  std::uint32_t partitions = 1;      // to be made of them: as many as the largest group has, so that leaves share them
};

// What a merge takes memory for.
struct MergeSize {
  std::size_t sources = 0;
  std::uint64_t documents = 0, left = 0;  // of the sources; those that are not hidden
  std::uint32_t partitions = 1;           // to be made
};
using Fits = std::function<bool(const MergeSize&)>;

// Disjoint merges of `partitions`, of which each is worth making; none: nothing is to be done. With rules.all, and
// where a group is written anew by itself, a merge may not fit.
std::vector<Merge> merges_of(std::span<const repository::PartitionEntry> partitions, const TierRules& rules,
                             const Fits& fits);

}  // namespace frond::indexer::change
