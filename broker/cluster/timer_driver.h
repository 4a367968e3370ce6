#pragma once
// Runs a TimerQueue from an Asio loop.
#include <memory>

#include "broker/cluster/timer_queue.h"

namespace boost::asio {
class io_context;
}

namespace frond::broker::cluster {

class TimerDriver {
 public:
  TimerDriver(boost::asio::io_context& io, TimerQueue& timers);
  ~TimerDriver();
  TimerDriver(const TimerDriver&) = delete;
  TimerDriver& operator=(const TimerDriver&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace frond::broker::cluster
