#include "common/http/client_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace frond::http {
namespace {
using Status = tls::Step::Status;
using std::chrono::steady_clock;
bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }
}  // namespace

Result<ClientStream> ClientStream::connect(const std::string& host, const std::string& port, const tls::Trust* trust,
                                           std::chrono::milliseconds timeout, int interrupt) {
  ClientStream made;
  made.timeout_ = timeout;
  made.interrupt_ = interrupt;
  made.socket_ = FROND_TRY(connect_within(host, port, timeout)).socket;
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
  for (;;) {
    const auto got = ::recv(socket_.fd(), to.data(), to.size(), 0);
    if (got > 0) return {Status::kDone, static_cast<std::size_t>(got)};
    if (got == 0) return {Status::kClosed};
    if (would_block()) return {Status::kWantRead};
    if (errno == EINTR) continue;
    plain_error_ = std::string("receive: ") + std::strerror(errno);
    return {Status::kFailed};
  }
}

tls::Step ClientStream::write_step(std::string_view from) {
  if (channel_) return channel_->write(from);
  for (;;) {
    const auto sent = ::send(socket_.fd(), from.data(), from.size(), MSG_NOSIGNAL);
    if (sent >= 0) return {Status::kDone, static_cast<std::size_t>(sent)};
    if (would_block()) return {Status::kWantWrite};
    if (errno == EINTR) continue;
    plain_error_ = std::string("send: ") + std::strerror(errno);
    return {Status::kFailed};
  }
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

}  // namespace frond::http
