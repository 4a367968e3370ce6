#pragma once
// Promises of docs/resiliency.md that can be looked at while searches are answered, by their ids there. Each that is
// found broken is counted: it is a defect of Frond, or the process did not run.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "broker/merge/merge.h"

namespace frond::broker::http {

// Any thread.
class Promises {
 public:
  enum Id : std::size_t { kInTime, kHonest, kCached, kBounded };
  static constexpr std::array<const char*, 4> kNames{"sim-in-time", "sim-honest", "sim-cached", "sim-bounded"};
  // An answer that comes so long after its deadline: a busy machine's threads may wait as long.
  static constexpr std::chrono::seconds kLate{1};

  void expect(Id which, bool holds) const {
    if (!holds) [[unlikely]]
      broken_[which].fetch_add(1, std::memory_order_relaxed);
  }
  std::uint64_t broken(std::size_t which) const { return broken_[which].load(std::memory_order_relaxed); }

 private:
  mutable std::array<std::atomic<std::uint64_t>, kNames.size()> broken_{};
};

// Whether the coverage adds up: each partition that was not searched once, in their order.
inline bool is_honest(const merge::Page& page) {
  const auto& all = page.unsearched;
  return std::ranges::adjacent_find(all, std::greater_equal(), &wire::UnsearchedPartition::partition) == all.end() &&
         (all.empty() || all.back().partition < page.partitions_total);
}

}  // namespace frond::broker::http
