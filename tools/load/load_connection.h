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
#include "common/http/client_stream.h"
#include "common/tls/certificates.h"
#include "tools/client/reply_reader.h"
#include "tools/load/event_loop.h"

namespace frond::tools {

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
