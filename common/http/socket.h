#pragma once
// TCP sockets of clients: owned, connected, waited for. Any thread.
#include <chrono>
#include <string>
#include <utility>

#include <sys/socket.h>

#include "common/base/result.h"

namespace frond::http {

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

// Connects to the first of the name's addresses that answers within `timeout`. The socket is non-blocking.
// kUnavailable.
Result<Connected> connect_within(const std::string& host, const std::string& port, std::chrono::milliseconds timeout);
// Starts to connect and returns at once; the socket is writable when it is connected. kUnavailable.
Result<Socket> connect_begin(const SocketAddress& address);
// Waits until the socket is ready for `events` (POLLIN, POLLOUT) or has an error. Signals neither end the wait nor
// prolong it. kDeadline: `until` has passed; kUnavailable, also as soon as `interrupt`, another descriptor, is
// readable.
Result<void> wait_ready(int fd, short events, std::chrono::steady_clock::time_point until, int interrupt = -1);

}  // namespace frond::http
