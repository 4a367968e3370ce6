#pragma once
// Searches that took long: logged with where their time went, and the last of them kept to be shown.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "broker/merge/merge.h"
#include "common/base/complaint.h"
#include "common/base/log.h"
#include "common/base/mutex.h"
#include "common/http/trace.h"

namespace frond::broker::http {

struct SlowSearch {
  frond::http::Trace trace;
  std::string collection;
  std::string query;  // as asked; cut to kMaxQuery
  std::string_view outcome, cache;
  std::chrono::microseconds took{0};
  std::string profile;  // slow_profile(); empty: it was not evaluated, or another search's evaluation was shared
};

// Where the time went, as JSON: of each leaf that answered, the slowest first, its round trip and the longest times of
// one of its partitions; of up to kMostLeaves leaves.
inline constexpr std::size_t kMostLeaves = 16;
std::string slow_profile(const merge::Page::Profile& profile);
// Those leaves.
std::vector<const merge::Page::LeafProfile*> slowest_leaves(const merge::Page::Profile& profile);
// The longest times of one of a leaf's partitions, each.
struct LongestTimes {
  std::uint64_t queue_us = 0, lists_us = 0, engine_us = 0;
};
LongestTimes longest_times(const merge::Page::LeafProfile& leaf);

// Thread-safe.
class SlowSearches {
 public:
  static constexpr std::size_t kMaxQuery = 1024, kMostKept = 64;  // bytes, searches

  // 0: no search is slow. At most ten lines a second are logged; each says how many were not. `log` outlives this;
  // null: none.
  SlowSearches(Logger* log, std::chrono::milliseconds least);

  // From which time on a search is slow; 0: none is.
  std::chrono::milliseconds least() const { return least_; }
  bool is_slow(std::chrono::nanoseconds took) const { return least_.count() > 0 && took >= least_; }
  void note(SlowSearch search);

  std::uint64_t noted() const;
  // {"slow_from_ms":…,"slow_searches":[{"time":…,"request_id":…,"trace_id":…,"query":…,"took_us":…,"outcome":…,
  // "cache":…,"profile":{…}},…]}, the newest first.
  std::string json() const;

 private:
  const std::chrono::milliseconds least_;
  Complaint complaint_;
  mutable Mutex mutex_;
  std::uint64_t noted_ FROND_GUARDED_BY(mutex_) = 0;
  std::deque<std::string> kept_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::broker::http
