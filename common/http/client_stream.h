#pragma once
// A client's connection to an HTTP server, plain or under TLS. Calls wait for the other side, each wait for so long at
// most; signals neither end a wait nor prolong it. One thread.
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
  // Connected and, with `trust`, sure that the server is `host`. `timeout` is for each: connecting, the whole
  // handshake, and every later wait for the other side. kUnavailable says why.
  static Result<ClientStream> connect(const std::string& host, const std::string& port, const tls::Trust* trust,
                                      std::chrono::milliseconds timeout);
  bool open() const { return socket_.open(); }
  void close();
  // At least one byte into the front of `to`; 0: the server has ended. kDeadline: nothing came in time; kUnavailable:
  // the connection is lost.
  Result<std::size_t> read_some(std::span<char> to);
  Result<void> write_all(std::string_view from);

 private:
  using Instant = std::chrono::steady_clock::time_point;
  tls::Step read_step(std::span<char> to);
  tls::Step write_step(std::string_view from);
  // Repeats `step` until it is done, and waits between as it says. 0: the other side has ended.
  template <class OneStep>
  Result<std::size_t> complete(const OneStep& step);
  Result<void> handshake();
  Result<void> wait(const tls::Step& step, Instant until) const;
  Error failure() const;
  Error late() const;

  Socket socket_;
  std::unique_ptr<tls::Channel> channel_;  // after the socket, which it borrows; null: plain
  std::chrono::milliseconds timeout_{0};
  std::string plain_error_;  // what the last failed step of a plain connection was
};

}  // namespace frond::http
