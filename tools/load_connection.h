#pragma once
// A connection of the load generator, plain or TLS: one request at a time, replies read by hand. Never blocks: each
// call does what the socket allows now, and on_event() goes on when the event loop reports more. One thread.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/deadline.h"
#include "common/base/result.h"
#include "common/http/socket.h"
#include "common/tls/trust.h"
#include "tools/event_loop.h"
#include "tools/reply_reader.h"

namespace frond::tools {

class LoadConnection {
 public:
  enum class State : std::uint8_t { kClosed, kConnecting, kHandshake, kIdle, kBusy };

  explicit LoadConnection(EventLoop& loop) : loop_(loop) {}
  State state() const { return state_; }

  // After an error of any call the caller closes the connection. The loop's events carry `this`.

  // Begins to connect: kConnecting, then under TLS kHandshake, then kIdle. `trust`: null for a plain connection.
  Result<void> open(const http::SocketAddress& address, const std::string& host, const tls::Trust* trust);
  // Begins to send a whole request: kIdle to kBusy. `request` is not copied; it stays until the reply.
  Result<void> send(std::string_view request);
  // Called with each reply, after the state went back to kIdle. False: the callee closed or opened the connection.
  using OnReply = std::function<bool(const ReplyView&)>;
  // Goes on after an event.
  Result<void> on_event(std::uint32_t events, const OnReply& on_reply);
  void close();

  // The generator's own, untouched here.
  Instant due{};       // of the request in flight
  Instant retry_at{};  // closed: when to open again

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
  std::string_view unsent_;  // what is left of the request in flight
};

}  // namespace frond::tools
