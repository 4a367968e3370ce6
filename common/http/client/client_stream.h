#pragma once
// A client's connection to an HTTP server, plain or under TLS. Calls block; each wait has a timeout, which signals
// neither end nor prolong. One thread.
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.h"
#include "common/tls/certificates.h"

namespace frond::http {

// TCP sockets of clients: owned, connected, waited for. Any thread.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { close(); }
  int fd() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void close();

 private:
  int fd_ = -1;
};

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

struct Connected {
  Socket socket;
  SocketAddress address;
};

// `host` is a name, an address, or "unix:PATH", which has no port. Connects to the first of the name's addresses that
// answers within `timeout`. The socket is non-blocking. kUnavailable, also as soon as `interrupt` is readable; only the
// name is resolved first, for as long as the system's resolver takes.
Result<Connected> connect_within(const std::string& host, const std::string& port, std::chrono::milliseconds timeout,
                                 int interrupt = -1);
// Starts to connect and returns at once; the socket is writable when it is connected. kUnavailable.
Result<Socket> connect_begin(const SocketAddress& address);
// Waits until the socket is ready for `events` (POLLIN, POLLOUT) or has an error. Signals neither end the wait nor
// prolong it. kDeadline: `until` has passed; kUnavailable, also as soon as `interrupt`, another descriptor, is
// readable.
Result<void> wait_ready(int fd, short events, std::chrono::steady_clock::time_point until, int interrupt = -1);

class ClientStream {
 public:
  ClientStream() = default;  // not open
  // Connects and, with `trust`, verifies that the server is `host`. `timeout` applies to each of: connecting, the whole
  // handshake, every later wait. Errors: kUnavailable, with the cause. Waits end with kUnavailable as soon as the
  // descriptor `interrupt` is readable, but for that of connect_within().
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
  using Status = tls::Step::Status;
  tls::Step read_step(std::span<char> to);
  tls::Step write_step(std::string_view from);
  tls::Step plain_step(ssize_t moved, Status wanted, const char* what);
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
