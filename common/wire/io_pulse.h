#pragma once
// Checks that one of a ZeroMQ context's I/O threads still runs, by sending a message through it to this process itself
// (over an abstract Unix socket with a random name: no file, no port).
//
// One thread owns the object and calls step() about every second; turned() may be called from any thread.
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
  // `number` of the I/O thread, from 0 to 63. Throws zmq::error_t if there are no sockets left, or no abstract Unix
  // sockets.
  IoPulse(zmq::context_t& context, unsigned number, const Clock& clock);
  // Must end before the context is closed.
  ~IoPulse();
  IoPulse(const IoPulse&) = delete;
  IoPulse& operator=(const IoPulse&) = delete;

  // Receives the messages that came back and sends the next one. Never blocks, never throws.
  void step();
  // When the last message came back; before that, when this object was made.
  Instant turned() const { return Instant(Instant::duration(turned_.load(std::memory_order_relaxed))); }

 private:
  const Clock& clock_;
  std::unique_ptr<zmq::socket_t> in_, out_;
  std::uint64_t secret_ = 0;  // in each message, so that messages of other processes do not count
  std::atomic<Instant::rep> turned_;
};

}  // namespace frond::wire
