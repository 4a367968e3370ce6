#include "common/http/socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>

namespace frond::http {
namespace {

Error unavailable(const std::string& where, int error) {
  return Error(Code::kUnavailable, where + ": " + std::strerror(error));
}

Result<void> wait_connected(int fd, std::chrono::milliseconds timeout) {
  pollfd waiting{fd, POLLOUT, 0};
  const int ready = ::poll(&waiting, 1, static_cast<int>(timeout.count()));
  int error = ready == 0 ? ETIMEDOUT : errno;
  if (ready > 0) {
    socklen_t size = sizeof error;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error == 0) return {};
  }
  return unavailable("connect", error);
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
  if (::connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0 &&
      errno != EINPROGRESS)
    return unavailable("connect", errno);
  return socket;
}

Result<Connected> connect_blocking(const std::string& host, const std::string& port,
                                   std::chrono::milliseconds timeout) {
  const auto addresses = FROND_TRY(resolve(host, port));
  std::string why;
  for (const auto& address : addresses) {
    auto begun = connect_begin(address);
    auto connected = begun ? wait_connected(begun->fd(), timeout) : Result<void>(begun.error());
    if (!connected) {
      why = connected.error().message();
      continue;
    }
    const int fd = begun->fd();
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    timeval limit{};
    limit.tv_sec = timeout.count() / 1000;
    limit.tv_usec = timeout.count() % 1000 * 1000;
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    return Connected{std::move(begun).value(), address};
  }
  return Error(Code::kUnavailable, why);
}

}  // namespace frond::http
