#pragma once
// Which partitions a compaction merges. Partitions are taken in groups: those whose ordinals interleave, since they
// were made together. What is merged are adjacent groups, so that documents keep their order.
//
// A group's tier is the power of `width` that its documents reach, from kSmallest on. At the lowest tier first: a run
// of adjacent groups of this tier or lower ones, with at least `width` of this tier, becomes one group. So a document
// is written about once a tier, and there are less than `width` groups of a tier side by side. A group of which more
// than `hidden_share` is hidden is written anew by itself.
#include <cstddef>
#include <cstdint>
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
  std::uint32_t partitions = 1;      // to be made of them: as many as the largest group of the sources has
};

// Disjoint merges of `partitions`, of which each is worth making; none: nothing is to be done.
std::vector<Merge> merges_of(std::span<const repository::PartitionEntry> partitions, const TierRules& rules);

}  // namespace frond::indexer::change
