#pragma once
// A client's TCP socket that closes itself, and how one is connected. Any thread.
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

// Connected to the first of the name's addresses that answers; each has `timeout` to do so. The socket does not block.
// kUnavailable.
Result<Connected> connect_within(const std::string& host, const std::string& port, std::chrono::milliseconds timeout);
// Begins a connection and returns at once; writable when done. kUnavailable.
Result<Socket> connect_begin(const SocketAddress& address);
// Waits until the socket is ready for `events` (POLLIN, POLLOUT) or has an error. Signals do not end the wait and do
// not make it longer. kDeadline: `until` has come; kUnavailable.
Result<void> wait_ready(int fd, short events, std::chrono::steady_clock::time_point until);

}  // namespace frond::http
