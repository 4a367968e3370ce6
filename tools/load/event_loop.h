#pragma once
// An epoll loop over sockets and one timer. One thread.
#include <cstdint>
#include <functional>

#include "common/base/deadline.h"
#include "common/base/result.h"
#include "common/http/client_stream.h"

namespace frond::tools {

class EventLoop {
 public:
  // Also sets the timers of the calling thread to a precision of one nanosecond. kUnavailable.
  static Result<EventLoop> create();

  // From now on wait() reports when the socket can be read, and when it can be written. `owner` is handed back with
  // each event. Closing the socket ends it. kUnavailable.
  Result<void> add(int socket, void* owner);
  // Whether wait() also reports when an added socket can be written.
  void report_writable(int socket, void* owner, bool on);
  // Sets the instant at which wait() returns at the latest. Replaces the instant set before.
  void wake_at(Instant when);
  // Waits for events or the wake instant. Calls on_event(owner, EPOLLIN | …) for each event.
  void wait(const std::function<void(void* owner, std::uint32_t events)>& on_event);

 private:
  EventLoop(http::Socket epoll, http::Socket timer) : epoll_(std::move(epoll)), timer_(std::move(timer)) {}
  http::Socket epoll_, timer_;
  Instant wake_at_{};
};

}  // namespace frond::tools
