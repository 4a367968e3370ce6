#pragma once
// The broker's API keys and limits: makes the guard and has it read the key file again while the broker runs. Made and
// ended on its loop's thread; the guard's gatekeeper() is for any thread.
#include <chrono>
#include <memory>

#include "broker/cluster/timer_queue.h"
#include "common/keys/guard.h"

namespace frond::broker::http {

class KeyEndpoint {
 public:
  static constexpr std::chrono::seconds kLookInterval{1};  // of reading the file, usually from the page cache

  // Errors are Guard::create()'s. What is referred to outlives the endpoint.
  static Result<std::unique_ptr<KeyEndpoint>> create(keys::Guard::Config config, cluster::TimerQueue& timers,
                                                     const Clock& clock, Logger& log, metrics::Registry& registry);
  ~KeyEndpoint();
  KeyEndpoint(const KeyEndpoint&) = delete;
  KeyEndpoint& operator=(const KeyEndpoint&) = delete;

  // Null if there is nothing to check. The endpoint outlives whoever calls it.
  frond::http::Gatekeeper gatekeeper();

 private:
  KeyEndpoint(std::unique_ptr<keys::Guard> guard, cluster::TimerQueue& timers);
  void look();

  const std::unique_ptr<keys::Guard> guard_;
  cluster::TimerQueue& timers_;
  cluster::TimerQueue::Id next_look_;
};

}  // namespace frond::broker::http
