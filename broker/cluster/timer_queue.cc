#include "broker/cluster/timer_queue.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace frond::broker::cluster {

TimerQueue::Id TimerQueue::at(Instant when, std::function<void()> action) {
  const Id id{when, next_id_++};
  const bool sooner = when < next();
  actions_.emplace(id, std::move(action));
  if (sooner && wake_) wake_();
  return id;
}

void TimerQueue::run_due() {
  const Instant now = clock_.now();
  while (!actions_.empty() && actions_.begin()->first.first <= now) {
    const auto action = std::move(actions_.extract(actions_.begin()).mapped());
    action();
  }
}

struct TimerDriver::State : std::enable_shared_from_this<State> {
  State(boost::asio::io_context& io, TimerQueue& queue) : timers(&queue), timer(io) {}

  void arm() {
    if (timers == nullptr || timers->next() >= armed) return;  // an early wake-up is harmless, a late one is not
    armed = timers->next();
    timer.expires_at(armed);
    timer.async_wait([self = shared_from_this()](const boost::system::error_code& ec) {
      if (ec || self->timers == nullptr) return;
      self->armed = Instant::max();
      self->timers->run_due();
      self->arm();
    });
  }

  TimerQueue* timers;
  boost::asio::steady_timer timer;
  Instant armed = Instant::max();
};

TimerDriver::TimerDriver(boost::asio::io_context& io, TimerQueue& timers)
    : state_(std::make_shared<State>(io, timers)) {
  timers.on_sooner([state = state_.get()] { state->arm(); });
  state_->arm();
}
TimerDriver::~TimerDriver() {
  state_->timers->on_sooner(nullptr);
  state_->timers = nullptr;
  state_->timer.cancel();
}

}  // namespace frond::broker::cluster
