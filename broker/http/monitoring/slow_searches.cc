#include "broker/http/monitoring/slow_searches.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "broker/http/answers/answer_json.h"
#include "common/base/text.h"

namespace frond::broker::http {
namespace {

constexpr std::chrono::milliseconds kBetweenLines{100};

std::string entry_of(const SlowSearch& search) {
  std::string out = "{";
  append_text(out, "time", utc_text(kUtcSeconds));
  append_text(out, "request_id", search.trace.request_id());
  append_text(out, "trace_id", search.trace.trace_id());
  append_text(out, "collection", search.collection);
  append_text(out, "query", search.query);
  append_count(out, "took_us", static_cast<std::uint64_t>(search.took.count()));
  append_text(out, "outcome", search.outcome);
  append_text(out, "cache", search.cache);
  if (!search.profile.empty()) out.append(",\"profile\":").append(search.profile);
  return out += '}';
}

}  // namespace

std::vector<const merge::Page::LeafProfile*> slowest_leaves(const merge::Page::Profile& profile) {
  std::vector<const merge::Page::LeafProfile*> leaves;
  for (const auto& leaf : profile.leaves) leaves.push_back(&leaf);
  std::ranges::stable_sort(leaves, std::greater(), [](const auto* leaf) { return leaf->round_trip_us; });
  if (leaves.size() > kMostLeaves) leaves.resize(kMostLeaves);
  return leaves;
}

LongestTimes longest_times(const merge::Page::LeafProfile& leaf) {
  LongestTimes longest;
  for (const wire::PartitionProfile& one : leaf.partitions) {
    longest.queue_us = std::max(longest.queue_us, one.queue_us);
    longest.lists_us = std::max(longest.lists_us, one.lists_us);
    longest.engine_us = std::max(longest.engine_us, one.engine_us);
  }
  return longest;
}

std::string slow_profile(const merge::Page::Profile& profile) {
  const auto leaves = slowest_leaves(profile);
  std::string out = "{";
  append_count(out, "search_us", profile.search_us);
  append_count(out, "fetch_us", profile.fetch_us);
  append_name(out, "leaves");
  out += '[';
  for (const auto* const leaf : leaves) {
    const LongestTimes longest = longest_times(*leaf);
    out += leaf == leaves.front() ? "{" : ",{";
    append_text(out, "leaf", leaf->leaf);
    append_count(out, "round_trip_us", leaf->round_trip_us);
    append_count(out, "partitions", leaf->partitions.size());
    append_count(out, "queue_us", longest.queue_us);
    append_count(out, "lists_us", longest.lists_us);
    append_count(out, "engine_us", longest.engine_us);
    out += '}';
  }
  out += ']';
  append_count(out, "left_out", profile.leaves.size() - leaves.size());
  return out += '}';
}

SlowSearches::SlowSearches(Logger* log, std::chrono::milliseconds least)
    : least_(least), complaint_(log, kBetweenLines) {}

void SlowSearches::note(SlowSearch search) {
  if (search.query.size() > kMaxQuery) search.query.resize(kMaxQuery);
  complaint_.say("slow search", {{"request_id", search.trace.request_id()},
                                 {"trace_id", search.trace.trace_id()},
                                 {"collection", search.collection},
                                 {"query", search.query},
                                 {"took_us", std::to_string(search.took.count())},
                                 {"outcome", std::string(search.outcome)},
                                 {"cache", std::string(search.cache)},
                                 {"profile", search.profile}});
  std::string entry = entry_of(search);
  const MutexLock lock(mutex_);
  ++noted_;
  kept_.push_front(std::move(entry));
  if (kept_.size() > kMostKept) kept_.pop_back();
}

std::uint64_t SlowSearches::noted() const {
  const MutexLock lock(mutex_);
  return noted_;
}

std::string SlowSearches::json() const {
  std::string out = "{\"slow_from_ms\":" + std::to_string(least_.count()) + ",\"slow_searches\":[";
  const MutexLock lock(mutex_);
  for (const std::string& entry : kept_) out.append(&entry == &kept_.front() ? "" : ",").append(entry);
  return out += "]}\n";
}

}  // namespace frond::broker::http
