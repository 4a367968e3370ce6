#pragma once
// Whether a ZeroMQ context's I/O thread still turns: a message goes through it and back, over a socket of the process's
// own (an abstract Unix address with a random name: no file, no port).
//
// One thread owns a pulse and calls step() every second or so; turned() may be asked from any.
#include <atomic>
#include <memory>

#include "common/base/deadline.h"

namespace zmq {
class context_t;
class socket_t;
}  // namespace zmq

namespace frond::wire {

class IoPulse {
 public:
  // `context` has one I/O thread. Throws zmq::error_t: no sockets left, or the system has none of that kind.
  IoPulse(zmq::context_t& context, const Clock& clock);
  // Before the context is closed.
  ~IoPulse();
  IoPulse(const IoPulse&) = delete;
  IoPulse& operator=(const IoPulse&) = delete;

  // Takes what came back and sends the next. Never blocks, never throws.
  void step();
  // When the thread was last known to turn; at first, when this was made.
  Instant turned() const { return Instant(Instant::duration(turned_.load(std::memory_order_relaxed))); }

 private:
  const Clock& clock_;
  std::unique_ptr<zmq::socket_t> in_, out_;
  std::uint64_t secret_ = 0;  // in each message: nobody else's counts
  std::atomic<Instant::rep> turned_;
};

}  // namespace frond::wire
