#include "broker/cluster/open_requests.h"

#include <utility>

namespace frond::broker::cluster {

void fail(const AnyDone& done, const Error& error) {
  std::visit([&](const auto& call) { call(error); }, done);
}

// A change of -1 is that modulo 2^64.
void OpenRequests::count(const AnyDone& done, std::size_t change) {
  const bool hello = is_hello(done);
  if (hello) hellos_ += change;
  (hello ? load_->hellos : load_->searches_and_fetches).fetch_add(change, std::memory_order_relaxed);
}

OpenRequests::~OpenRequests() {
  for (const auto& [id, one] : open_) {
    timers_.cancel(one.timer);
    count(one.done, -std::size_t{1});
  }
}

void OpenRequests::add(RequestId id, AnyDone done, Deadline deadline) {
  count(done, 1);
  const auto timer = timers_.at(deadline.when(), [this, id] {
    if (const auto late = take(id)) expired_(id, *late);
  });
  open_.emplace(id, Open{std::move(done), timer});
}

std::optional<AnyDone> OpenRequests::take(RequestId id) {
  const auto at = open_.find(id);
  if (at == open_.end()) return {};
  timers_.cancel(at->second.timer);
  std::optional<AnyDone> done(std::move(at->second.done));
  open_.erase(at);
  count(*done, -std::size_t{1});
  return done;
}

void OpenRequests::fail_all(const Error& error) {
  const auto open = std::exchange(open_, {});
  for (const auto& [id, one] : open) {
    timers_.cancel(one.timer);
    count(one.done, -std::size_t{1});
  }
  for (const auto& [id, one] : open) fail(one.done, error);
}

}  // namespace frond::broker::cluster
