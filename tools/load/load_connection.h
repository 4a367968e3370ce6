#pragma once
// A plain or TLS connection of the load generator, with one request at a time and its own parser of replies. Never
// blocks: each call does what the socket allows now, and on_event() continues when the event loop reports more. One
// thread.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/deadline.h"
#include "common/base/result.h"
#include "common/http/client/client_stream.h"
#include "common/tls/certificates.h"
#include "tools/client/reply_reader.h"

namespace frond::tools {

// An epoll loop over sockets and one timer. One thread.
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

class LoadConnection {
 public:
  enum class State : std::uint8_t { kClosed, kConnecting, kHandshake, kIdle, kBusy };

  explicit LoadConnection(EventLoop& loop) : loop_(loop) {}
  State state() const { return state_; }

  // After an error from any call the caller must close the connection. The events of the loop carry `this`.

  // Begins to connect: the state becomes kConnecting, then kHandshake (TLS only), then kIdle. `trust`: null for a plain
  // connection.
  Result<void> open(const http::SocketAddress& address, const std::string& host, const tls::Trust* trust);
  // Begins to send a whole request: the state goes from kIdle to kBusy. `request` is not copied; it must live until the
  // reply.
  Result<void> send(std::string_view request);
  // Called with each reply, after the state is kIdle again. Returns false if it closed or reopened the connection.
  using OnReply = std::function<bool(const ReplyView&)>;
  // Continues after an event.
  Result<void> on_event(std::uint32_t events, const OnReply& on_reply);
  void close();

  // Used by the generator only.
  Instant due{};       // when the request in flight was due
  Instant retry_at{};  // if closed: when to reconnect

 private:
  void wait_to_write(bool waits);
  Result<void> connected();
  Result<void> shake_hands();
  Result<void> write_rest();
  Result<void> read(const OnReply& on_reply);
  Result<void> read_secure(const OnReply& on_reply);
  Result<bool> take_replies(std::size_t bytes, const OnReply& on_reply);

  EventLoop& loop_;
  State state_ = State::kClosed;
  bool waits_to_write_ = false;
  http::Socket socket_;
  std::unique_ptr<tls::Channel> channel_;  // null: plain
  ReplyReader reader_;
  std::string_view unsent_;  // rest of the request in flight
};

}  // namespace frond::tools
