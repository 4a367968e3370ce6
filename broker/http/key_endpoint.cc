#include "broker/http/key_endpoint.h"

#include <utility>

namespace frond::broker::http {

Result<std::unique_ptr<KeyEndpoint>> KeyEndpoint::create(keys::Guard::Config config, cluster::TimerQueue& timers,
                                                         const Clock& clock, Logger& log, metrics::Registry& registry) {
  auto guard = FROND_TRY(keys::Guard::create(std::move(config), clock, log, registry));
  return std::unique_ptr<KeyEndpoint>(new KeyEndpoint(std::move(guard), timers));
}

KeyEndpoint::KeyEndpoint(std::unique_ptr<keys::Guard> guard, cluster::TimerQueue& timers)
    : guard_(std::move(guard)), timers_(timers), next_look_(timers.after(kLookInterval, [this] { look(); })) {}
KeyEndpoint::~KeyEndpoint() { timers_.cancel(next_look_); }

void KeyEndpoint::look() {
  next_look_ = timers_.after(kLookInterval, [this] { look(); });
  guard_->look();
}

frond::http::Gatekeeper KeyEndpoint::gatekeeper() {
  if (!guard_->does_something()) return nullptr;
  return [this](const frond::http::Request& header, const frond::http::ClientAddress& from,
                frond::http::Access needed) { return guard_->admit(header, from, needed); };
}

}  // namespace frond::broker::http
