#pragma once
// A client's connection to an HTTP server, plain or under TLS. Calls block; each wait has a timeout, which signals
// neither end nor prolong. One thread.
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/http/socket.h"
#include "common/tls/trust.h"

namespace frond::http {

class ClientStream {
 public:
  ClientStream() = default;  // not open
  // Connects and, with `trust`, verifies that the server is `host`. `timeout` applies to each of: connecting, the whole
  // handshake, every later wait. Errors: kUnavailable, with the cause. Waits after the connect end with kUnavailable as
  // soon as the descriptor `interrupt` is readable.
  static Result<ClientStream> connect(const std::string& host, const std::string& port, const tls::Trust* trust,
                                      std::chrono::milliseconds timeout, int interrupt = -1);
  void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }
  bool open() const { return socket_.open(); }
  void close();
  // Reads at least one byte into the front of `to`; 0: the server has closed its side. kDeadline: nothing came in time;
  // kUnavailable: the connection is lost.
  Result<std::size_t> read_some(std::span<char> to);
  Result<void> write_all(std::string_view from);

 private:
  using Instant = std::chrono::steady_clock::time_point;
  tls::Step read_step(std::span<char> to);
  tls::Step write_step(std::string_view from);
  // Repeats `step` until it is done, and waits in between as it asks. 0: the server has closed its side.
  template <class OneStep>
  Result<std::size_t> complete(const OneStep& step);
  Result<void> handshake();
  Result<void> wait(const tls::Step& step, Instant until) const;
  Error failure() const;
  Error late() const;

  Socket socket_;
  std::unique_ptr<tls::Channel> channel_;  // after the socket, which it borrows; null: plain
  std::chrono::milliseconds timeout_{0};
  int interrupt_ = -1;
  std::string plain_error_;  // of the last failed step of a plain connection
};

}  // namespace frond::http
