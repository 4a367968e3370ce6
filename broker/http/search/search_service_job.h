#pragma once
// A search while it is not answered yet. Internal to this folder.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "broker/http/search/question.h"
#include "broker/http/search/search_service.h"

namespace frond::broker::http {

struct SearchService::Job : Question {
  explicit Job(std::shared_ptr<const void> service) : in_use(std::move(service)) {}
  const std::shared_ptr<const void> in_use;  // SearchService::in_use()
  Reply reply;
  Found found;
  std::optional<Line> line;
  frond::http::Trace trace;
  std::uint64_t span = 0;    // its own in the trace; 0: that is not kept
  std::string slow_profile;  // of its own evaluation, if that took long
  Instant started;
  Deadline deadline = Deadline::never();
  std::string key;  // in the cache
  CacheUse use = CacheUse::kBypass;
  wire::Mode asked_mode{};  // prepare() may choose a narrower one that means the same
  bool begun_anew = false;
  cache::CachedAnswer first;                         // before it was begun anew; the answer if that is refused
  std::optional<Admission::Ticket> turn;             // while it waits for a place
  std::optional<cache::Flights::Seat> seat;          // while it waits for a flight
  std::shared_ptr<scatter::Abandonable> evaluation;  // its own evaluation, if that is not shared
  std::optional<cluster::TimerQueue::Id> timer;      // ends the wait
};

}  // namespace frond::broker::http
