#pragma once
// A search's answer before it becomes JSON: merge makes it, HTTP prints it.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/topk/hit.h"
#include "common/wire/messages.h"

namespace frond::broker::merge {

// A number of documents.
struct Count {
  std::uint64_t value = 0;
  bool exact = true;  // false: a lower bound
  friend bool operator==(const Count&, const Count&) = default;
};

struct PageHit {
  topk::Hit hit;
  std::string id, title, url;  // title, url and snippet: not to be shown if the search does not want them
  std::string snippet;         // plain text; matches between U+0002 and U+0003
};

struct Page {
  Generation generation = 0;
  std::uint32_t partitions_total = 0;
  std::vector<wire::UnsearchedPartition> unsearched;  // ordered by partition; empty: all were searched
  // kAnd: all hits have all words; kOr: any words; kAuto: documents with all words, then others.
  wire::Mode mode_used = wire::Mode::kOr;
  Count total;                     // documents that match
  std::optional<Count> all_words;  // mode `auto`: those with all words
  std::vector<PageHit> hits;
  struct LeafProfile {
    std::string leaf;
    std::uint64_t round_trip_us = 0;
    std::vector<wire::PartitionProfile> partitions;
    std::vector<wire::SearchRun> runs;  // empty: an older leaf
  };
  struct Profile {
    std::uint64_t search_us = 0, fetch_us = 0;  // times of the two round trips
    std::vector<LeafProfile> leaves;
  } profile;

  bool whole() const { return unsearched.empty(); }
  std::uint32_t partitions_answered() const { return partitions_total - static_cast<std::uint32_t>(unsearched.size()); }
  bool timed_out() const {
    for (const auto& one : unsearched)
      if (one.reason == wire::UnsearchedReason::kDeadline) return true;
    return false;
  }
};

}  // namespace frond::broker::merge
