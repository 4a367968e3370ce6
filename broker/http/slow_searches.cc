#include "broker/http/slow_searches.h"

#include <ctime>
#include <utility>

#include "broker/http/answer_json.h"

namespace frond::broker::http {
namespace {

constexpr std::chrono::milliseconds kBetweenLines{100};

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32] = {};
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

std::string entry_of(const SlowSearch& search) {
  std::string out = "{";
  append_text(out, "time", now_text());
  append_text(out, "request_id", search.trace.request_id());
  append_text(out, "trace_id", search.trace.trace_id());
  append_text(out, "collection", search.collection);
  append_text(out, "query", search.query);
  append_count(out, "took_us", static_cast<std::uint64_t>(search.took.count()));
  append_text(out, "outcome", search.outcome);
  append_text(out, "cache", search.cache);
  return out.append(search.profile).append("}");
}

}  // namespace

SlowSearches::SlowSearches(Logger* log, std::chrono::milliseconds least)
    : least_(least), complaint_(log, kBetweenLines) {}

void SlowSearches::note(SlowSearch search) {
  if (search.query.size() > kMaxQuery) search.query.resize(kMaxQuery);
  if (search.profile.size() > kMaxProfile) search.profile.clear();
  complaint_.say("slow search",
                 {{"request_id", search.trace.request_id()},
                  {"trace_id", search.trace.trace_id()},
                  {"collection", search.collection},
                  {"query", search.query},
                  {"took_us", std::to_string(search.took.count())},
                  {"outcome", std::string(search.outcome)},
                  {"cache", std::string(search.cache)},
                  // Without `,"profile":`.
                  {"profile", search.profile.empty() ? "" : search.profile.substr(search.profile.find('{'))}});
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
