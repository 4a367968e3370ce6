#include "tools/load/load_connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace frond::tools {
namespace {

using Status = tls::Step::Status;

constexpr std::size_t kReadBytes = 32 << 10;

Error unavailable(std::string why) { return Error(Code::kUnavailable, std::move(why)); }
Error closed_by_broker() { return unavailable("the broker closed the connection"); }

}  // namespace

Result<void> LoadConnection::open(const http::SocketAddress& address, const std::string& host,
                                  const tls::Trust* trust) {
  reader_.reset();
  socket_ = FROND_TRY(http::connect_begin(address));
  channel_ = trust ? trust->open(socket_.fd(), host) : nullptr;
  state_ = State::kConnecting;
  waits_to_write_ = true;
  return loop_.add(socket_.fd(), this);
}

void LoadConnection::close() {
  state_ = State::kClosed;
  unsent_ = {};
  channel_.reset();
  socket_.close();
}

void LoadConnection::wait_to_write(bool waits) {
  if (waits_to_write_ == waits) return;
  waits_to_write_ = waits;
  loop_.report_writable(socket_.fd(), this, waits);
}

Result<void> LoadConnection::on_event(std::uint32_t events, const OnReply& on_reply) {
  if (state_ == State::kClosed) return {};  // failed earlier in this batch of events
  if (events & (EPOLLERR | EPOLLHUP)) {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket_.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return unavailable(std::strerror(error));
  }
  if (state_ == State::kHandshake) return shake_hands();
  if (events & EPOLLOUT) FROND_TRY(state_ == State::kConnecting ? connected() : write_rest());
  const bool readable = (events & (EPOLLIN | EPOLLHUP)) != 0 && state_ != State::kHandshake;
  return readable ? read(on_reply) : Result<void>();
}

Result<void> LoadConnection::connected() {
  if (channel_) return shake_hands();
  wait_to_write(false);
  state_ = State::kIdle;
  return {};
}

Result<void> LoadConnection::shake_hands() {
  const auto step = channel_->handshake();
  if (step.status == Status::kFailed) return unavailable(channel_->error());
  state_ = step.status == Status::kDone ? State::kIdle : State::kHandshake;
  wait_to_write(step.status == Status::kWantWrite);
  return {};
}

Result<void> LoadConnection::send(std::string_view request) {
  state_ = State::kBusy;
  unsent_ = request;
  return write_rest();
}

Result<void> LoadConnection::write_rest() {
  while (!unsent_.empty()) {
    std::size_t sent = 0;
    bool full = false;
    if (channel_) {
      const auto step = channel_->write(unsent_);
      if (step.status == Status::kFailed) return unavailable(channel_->error());
      full = step.status != Status::kDone;
      sent = step.bytes;
    } else {
      const auto taken = ::send(socket_.fd(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
      if (taken < 0 && errno == EINTR) continue;
      full = taken < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
      if (taken < 0 && !full) return unavailable(std::strerror(errno));
      sent = full ? 0 : static_cast<std::size_t>(taken);
    }
    if (full) {
      wait_to_write(true);
      return {};
    }
    unsent_.remove_prefix(sent);
  }
  wait_to_write(false);
  return {};
}

Result<void> LoadConnection::read(const OnReply& on_reply) {
  if (channel_) return read_secure(on_reply);
  char* to = reader_.room(kReadBytes);
  const auto got = ::recv(socket_.fd(), to, reader_.room_size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return {};
  if (got < 0) return unavailable(std::strerror(errno));
  if (got == 0) return closed_by_broker();
  FROND_TRY(take_replies(static_cast<std::size_t>(got), on_reply));
  return {};
}

// Reads until the channel is empty: epoll does not report bytes that the channel has already taken from the socket.
Result<void> LoadConnection::read_secure(const OnReply& on_reply) {
  do {
    char* to = reader_.room(kReadBytes);
    const auto step = channel_->read({to, reader_.room_size()});
    if (step.status == Status::kClosed) return closed_by_broker();
    if (step.status == Status::kFailed) return unavailable(channel_->error());
    if (step.status != Status::kDone) return {};
    if (!FROND_TRY(take_replies(step.bytes, on_reply))) return {};
  } while (channel_->has_pending());
  return {};
}

// False: on_reply closed or reopened the connection.
Result<bool> LoadConnection::take_replies(std::size_t bytes, const OnReply& on_reply) {
  reader_.received(bytes);
  for (;;) {
    const auto reply = FROND_TRY(reader_.next());
    if (!reply) return true;
    if (state_ != State::kBusy || !unsent_.empty()) return unavailable("a reply to no request");
    state_ = State::kIdle;
    if (!on_reply(*reply)) return false;
  }
}

}  // namespace frond::tools
