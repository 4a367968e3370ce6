#include "broker/cluster/open_requests.h"

#include <utility>

namespace frond::broker::cluster {

void fail(const AnyDone& done, const Error& error) {
  std::visit([&](const auto& call) { call(error); }, done);
}

OpenRequests::~OpenRequests() {
  for (const auto& [id, one] : open_) timers_.cancel(one.timer);
}

void OpenRequests::add(RequestId id, AnyDone done, Deadline deadline) {
  hellos_ += is_hello(done);
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
  hellos_ -= is_hello(*done);
  return done;
}

void OpenRequests::fail_all(const Error& error) {
  const auto open = std::exchange(open_, {});
  hellos_ = 0;
  for (const auto& [id, one] : open) timers_.cancel(one.timer);
  for (const auto& [id, one] : open) fail(one.done, error);
}

}  // namespace frond::broker::cluster
