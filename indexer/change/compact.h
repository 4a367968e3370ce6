#pragma once
// `frond-indexer compact`: a generation with the same documents in fewer partitions, without those that are hidden.
// What is searched is the same, to the byte; ordinals keep their order.
#include <cstdint>
#include <optional>
#include <stop_token>

#include "common/base/result.h"
#include "indexer/change/remove.h"
#include "indexer/change/tiers.h"

namespace frond::indexer::change {

struct CompactionSummary {
  std::uint64_t replaced = 0, made = 0;           // partitions
  std::uint64_t documents = 0, dropped = 0;       // written, and hidden ones that are gone
  std::optional<repository::Manifest> published;  // none: nothing is worth merging
};

// Merges what `rules` choose, and publishes it. Memory: that of one write_merged(), and the lengths of its sources.
// Nothing is changed after an error. kNotFound: the collection has no generation; kUnavailable: another writer holds
// it, the disk, or stopped.
Result<CompactionSummary> compact(const ChangeOptions& options, const TierRules& rules, std::stop_token stop);

}  // namespace frond::indexer::change
