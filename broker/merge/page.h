#pragma once
// An answer to a search, before it is JSON: the type that crosses from merge to HTTP.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/topk/hit.h"
#include "common/wire/messages.h"

namespace frond::broker::merge {

// A partition that the answer lacks, and why.
struct Degraded {
  std::uint32_t partition = 0;
  wire::Unsearched reason = wire::Unsearched::kUnavailable;
};
// As the API prints it.
constexpr std::string_view name_of(wire::Unsearched reason) {
  constexpr std::string_view kNames[] = {"deadline", "overloaded", "corrupt", "unavailable", "unknown_generation"};
  return kNames[static_cast<int>(reason)];
}
constexpr std::string_view name_of(wire::Mode mode) {
  constexpr std::string_view kNames[] = {"and", "or", "auto"};
  return kNames[static_cast<int>(mode)];
}

struct PageHit {
  topk::Hit hit;
  std::string id, title, url;
  std::string snippet;  // plain text; matches between U+0002 and U+0003
};

struct Page {
  Generation generation = 0;
  std::uint32_t partitions_total = 0;
  std::vector<Degraded> degraded;  // by partition; empty: whole answer
  wire::Mode mode_used = wire::Mode::kOr;
  std::uint64_t total = 0;
  bool total_exact = true;
  std::vector<PageHit> hits;
  struct LeafProfile {
    std::string leaf;
    std::uint64_t round_trip_us = 0;
    std::vector<wire::PartitionProfile> partitions;
  };
  struct Profile {
    std::uint64_t search_us = 0, fetch_us = 0;  // the two round trips
    std::vector<LeafProfile> leaves;
  } profile;

  bool whole() const { return degraded.empty(); }
  std::uint32_t partitions_answered() const { return partitions_total - static_cast<std::uint32_t>(degraded.size()); }
  bool timed_out() const {
    for (const auto& one : degraded)
      if (one.reason == wire::Unsearched::kDeadline) return true;
    return false;
  }
};

}  // namespace frond::broker::merge
