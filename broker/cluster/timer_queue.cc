#include "broker/cluster/timer_queue.h"

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

}  // namespace frond::broker::cluster
