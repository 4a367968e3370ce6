#pragma once
// A client's connection to an HTTP server, plain or under TLS, blocking, with a limit on each step. One thread.
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
  // Connected and, with `trust`, sure that the server is `host`. `timeout` is for each: connecting, and every later
  // wait for the other side. kUnavailable says why.
  static Result<ClientStream> connect(const std::string& host, const std::string& port, const tls::Trust* trust,
                                      std::chrono::milliseconds timeout);
  bool open() const { return socket_.open(); }
  void close();
  // At least one byte into the front of `to`; 0: the server has ended. kDeadline: nothing came in time; kUnavailable:
  // the connection is lost.
  Result<std::size_t> read_some(std::span<char> to);
  Result<void> write_all(std::string_view from);

 private:
  Result<std::size_t> read_plain(std::span<char> to) const;
  Result<std::size_t> write_plain(std::string_view from) const;
  Result<void> handshake();
  // A step of the channel that ended well, or why not.
  Result<std::size_t> settle(const tls::Step& step) const;
  Error late() const;

  Socket socket_;
  std::unique_ptr<tls::Channel> channel_;  // after the socket, which it borrows; null: plain
  std::chrono::milliseconds timeout_{0};
};

}  // namespace frond::http
