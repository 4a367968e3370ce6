#include "common/http/client/client_stream.h"

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

#include "common/net/local_address.h"

namespace frond::http {
namespace {

using std::chrono::steady_clock;

Error unavailable(const std::string& where, int error) {
  return Error(Code::kUnavailable, where + ": " + std::strerror(error));
}

Result<void> wait_connected(int fd, std::chrono::milliseconds timeout, int interrupt) {
  if (auto ready = wait_ready(fd, POLLOUT, std::chrono::steady_clock::now() + timeout, interrupt); !ready)
    return ready.error().code() == Code::kDeadline ? unavailable("connect", ETIMEDOUT) : std::move(ready).error();
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  return error == 0 ? Result<void>() : Result<void>(unavailable("connect", error));
}

// At least one address.
Result<std::vector<SocketAddress>> resolve(const std::string& host, const std::string& port) {
  if (net::is_local(host)) {
    const net::Endpoint at = net::local_endpoint(FROND_TRY(net::parse_local_address(host)));
    SocketAddress address{{}, static_cast<socklen_t>(at.size())};
    std::memcpy(&address.storage, at.data(), at.size());
    return std::vector{address};
  }
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

Result<ClientStream> ClientStream::connect(const std::string& host, const std::string& port, const tls::Trust* trust,
                                           std::chrono::milliseconds timeout, int interrupt) {
  ClientStream made;
  made.timeout_ = timeout;
  made.interrupt_ = interrupt;
  made.socket_ = FROND_TRY(connect_within(host, port, timeout, interrupt)).socket;
  if (trust) {
    made.channel_ = trust->open(made.socket_.fd(), host);
    FROND_TRY(made.handshake());
  }
  return made;
}

void ClientStream::close() {
  if (channel_ && socket_.open()) channel_->say_end();
  channel_.reset();
  socket_.close();
}

Error ClientStream::late() const {
  return Error(Code::kDeadline, "no reply within " + std::to_string(timeout_.count()) + " ms");
}
Error ClientStream::failure() const { return Error(Code::kUnavailable, channel_ ? channel_->error() : plain_error_); }

Result<void> ClientStream::wait(const tls::Step& step, Instant until) const {
  auto ready = wait_ready(socket_.fd(), step.status == Status::kWantRead ? POLLIN : POLLOUT, until, interrupt_);
  if (!ready && ready.error().code() == Code::kDeadline) return late();
  return ready;
}

Result<void> ClientStream::handshake() {
  // A whole, unlike reads: a server that sends it byte by byte would hold its client for hours.
  const Instant until = steady_clock::now() + timeout_;
  for (;;) {
    const tls::Step step = channel_->handshake();
    if (step.status == Status::kDone) return {};
    if (step.status != Status::kWantRead && step.status != Status::kWantWrite) return failure();
    if (!wait(step, until))
      return Error(Code::kUnavailable, "no TLS handshake within " + std::to_string(timeout_.count()) + " ms");
  }
}

template <class OneStep>
Result<std::size_t> ClientStream::complete(const OneStep& step) {
  for (;;) {
    const tls::Step made = step();
    if (made.status == Status::kDone) return made.bytes;
    if (made.status == Status::kClosed) return std::size_t{0};
    if (made.status == Status::kFailed) return failure();
    FROND_TRY(wait(made, steady_clock::now() + timeout_));
  }
}

tls::Step ClientStream::read_step(std::span<char> to) {
  if (channel_) return channel_->read(to);
  const auto got = TEMP_FAILURE_RETRY(::recv(socket_.fd(), to.data(), to.size(), 0));
  if (got == 0) return {Status::kClosed};
  return plain_step(got, Status::kWantRead, "receive");
}

tls::Step ClientStream::write_step(std::string_view from) {
  if (channel_) return channel_->write(from);
  return plain_step(TEMP_FAILURE_RETRY(::send(socket_.fd(), from.data(), from.size(), MSG_NOSIGNAL)),
                    Status::kWantWrite, "send");
}

tls::Step ClientStream::plain_step(ssize_t moved, Status wanted, const char* what) {
  if (moved >= 0) return {Status::kDone, static_cast<std::size_t>(moved)};
  if (errno == EAGAIN || errno == EWOULDBLOCK) return {wanted};
  plain_error_ = std::string(what) + ": " + std::strerror(errno);
  return {Status::kFailed};
}

Result<std::size_t> ClientStream::read_some(std::span<char> to) {
  return complete([&] { return read_step(to); });
}

Result<void> ClientStream::write_all(std::string_view from) {
  while (!from.empty()) {
    const std::size_t taken = FROND_TRY(complete([&] { return write_step(from); }));
    if (taken == 0) return Error(Code::kUnavailable, "the connection was closed");
    from.remove_prefix(taken);
  }
  return {};
}

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

Result<Connected> connect_within(const std::string& host, const std::string& port, std::chrono::milliseconds timeout,
                                 int interrupt) {
  const auto addresses = FROND_TRY(resolve(host, port));
  std::string why;
  for (const auto& address : addresses) {
    auto begun = connect_begin(address);
    auto connected = begun ? wait_connected(begun->fd(), timeout, interrupt) : Result<void>(begun.error());
    if (connected) return Connected{std::move(begun).value(), address};
    why = connected.error().message();
  }
  return Error(Code::kUnavailable, why);
}

}  // namespace frond::http
