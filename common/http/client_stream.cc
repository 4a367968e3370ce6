#include "common/http/client_stream.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace frond::http {
namespace {
using Status = tls::Step::Status;
bool timed_out() { return errno == EAGAIN || errno == EWOULDBLOCK; }
}  // namespace

Result<ClientStream> ClientStream::connect(const std::string& host, const std::string& port, const tls::Trust* trust,
                                           std::chrono::milliseconds timeout) {
  ClientStream made;
  made.timeout_ = timeout;
  made.socket_ = FROND_TRY(connect_blocking(host, port, timeout)).socket;
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

Result<std::size_t> ClientStream::settle(const tls::Step& step) const {
  switch (step.status) {
    case Status::kDone:
      return step.bytes;
    case Status::kClosed:
      return std::size_t{0};
    case Status::kFailed:
      return Error(Code::kUnavailable, channel_->error());
    default:
      return late();  // the socket blocks: it has waited as long as it may
  }
}

Result<void> ClientStream::handshake() {
  const auto step = channel_->handshake();
  if (step.status == Status::kDone) return {};
  if (step.status == Status::kFailed) return Error(Code::kUnavailable, channel_->error());
  return Error(Code::kUnavailable, "no TLS handshake within " + std::to_string(timeout_.count()) + " ms");
}

Result<std::size_t> ClientStream::read_plain(std::span<char> to) const {
  for (;;) {
    const auto got = ::recv(socket_.fd(), to.data(), to.size(), 0);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (timed_out()) return late();
    if (errno != EINTR) return Error(Code::kUnavailable, std::string("receive: ") + std::strerror(errno));
  }
}
Result<std::size_t> ClientStream::read_some(std::span<char> to) {
  return channel_ ? settle(channel_->read(to)) : read_plain(to);
}

Result<std::size_t> ClientStream::write_plain(std::string_view from) const {
  for (;;) {
    const auto sent = ::send(socket_.fd(), from.data(), from.size(), MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (errno != EINTR) return Error(Code::kUnavailable, std::string("send: ") + std::strerror(errno));
  }
}
Result<void> ClientStream::write_all(std::string_view from) {
  while (!from.empty()) from.remove_prefix(FROND_TRY(channel_ ? settle(channel_->write(from)) : write_plain(from)));
  return {};
}

}  // namespace frond::http
