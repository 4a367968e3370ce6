#include "common/http/socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

namespace frond::http {
namespace {

Error unavailable(const std::string& where, int error) {
  return Error(Code::kUnavailable, where + ": " + std::strerror(error));
}

Result<void> wait_connected(int fd, std::chrono::milliseconds timeout) {
  if (auto ready = wait_ready(fd, POLLOUT, std::chrono::steady_clock::now() + timeout); !ready)
    return ready.error().code() == Code::kDeadline ? unavailable("connect", ETIMEDOUT) : std::move(ready).error();
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  return error == 0 ? Result<void>() : Result<void>(unavailable("connect", error));
}

// At least one address.
Result<std::vector<SocketAddress>> resolve(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int failed = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); failed != 0)
    return Error(Code::kUnavailable, ::gai_strerror(failed));
  std::vector<SocketAddress> addresses;
  for (const addrinfo* each = found; each; each = each->ai_next) {
    SocketAddress address;
    std::memcpy(&address.storage, each->ai_addr, each->ai_addrlen);
    address.size = each->ai_addrlen;
    addresses.push_back(address);
  }
  ::freeaddrinfo(found);
  if (addresses.empty()) return Error(Code::kUnavailable, "the name has no address");
  return addresses;
}

}  // namespace

void Socket::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Result<Socket> connect_begin(const SocketAddress& address) {
  Socket socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.open()) return unavailable("socket", errno);
  const int on = 1;
  ::setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // A connection that a signal interrupted goes on being made, as one that does not block does.
  if (::connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0 &&
      errno != EINPROGRESS && errno != EINTR)
    return unavailable("connect", errno);
  return socket;
}

Result<void> wait_ready(int fd, short events, std::chrono::steady_clock::time_point until, int interrupt) {
  using std::chrono::milliseconds, std::chrono::steady_clock;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now()).count();
    pollfd waiting[] = {{fd, events, 0}, {interrupt, POLLIN, 0}};  // poll() takes no notice of -1
    const int ready = ::poll(waiting, 2, static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30)));
    if (ready > 0 && waiting[1].revents != 0) return Error(Code::kUnavailable, "interrupted");
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return unavailable("poll", errno);
    if (steady_clock::now() >= until) return Error(Code::kDeadline, "not ready in time");
  }
}

Result<Connected> connect_within(const std::string& host, const std::string& port, std::chrono::milliseconds timeout) {
  const auto addresses = FROND_TRY(resolve(host, port));
  std::string why;
  for (const auto& address : addresses) {
    auto begun = connect_begin(address);
    auto connected = begun ? wait_connected(begun->fd(), timeout) : Result<void>(begun.error());
    if (connected) return Connected{std::move(begun).value(), address};
    why = connected.error().message();
  }
  return Error(Code::kUnavailable, why);
}

}  // namespace frond::http
