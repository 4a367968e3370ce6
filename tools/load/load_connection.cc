#include "tools/load/load_connection.h"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace frond::tools {
namespace {

Error epoll_error() { return Error(Code::kUnavailable, std::string("epoll: ") + std::strerror(errno)); }

bool change(int epoll, int operation, int fd, void* owner, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = owner;
  return ::epoll_ctl(epoll, operation, fd, &event) == 0;
}

}  // namespace

Result<EventLoop> EventLoop::create() {
  ::prctl(PR_SET_TIMERSLACK, 1);  // by the kernel's default a timer may be 50 us late
  http::Socket epoll(::epoll_create1(EPOLL_CLOEXEC));
  http::Socket timer(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!epoll.open() || !timer.open()) return epoll_error();
  if (!change(epoll.fd(), EPOLL_CTL_ADD, timer.fd(), nullptr, EPOLLIN)) return epoll_error();
  return EventLoop(std::move(epoll), std::move(timer));
}

Result<void> EventLoop::add(int socket, void* owner) {
  if (!change(epoll_.fd(), EPOLL_CTL_ADD, socket, owner, EPOLLIN | EPOLLOUT)) return epoll_error();
  return {};
}

void EventLoop::report_writable(int socket, void* owner, bool on) {
  change(epoll_.fd(), EPOLL_CTL_MOD, socket, owner, EPOLLIN | (on ? EPOLLOUT : 0u));
}

void EventLoop::wake_at(Instant when) {
  if (when == wake_at_) return;
  wake_at_ = when;
  const auto since_epoch = std::max<std::int64_t>(1, when.time_since_epoch().count());
  itimerspec spec{};
  spec.it_value.tv_sec = since_epoch / 1'000'000'000;
  spec.it_value.tv_nsec = since_epoch % 1'000'000'000;
  ::timerfd_settime(timer_.fd(), TFD_TIMER_ABSTIME, &spec, nullptr);
}

void EventLoop::wait(const std::function<void(void*, std::uint32_t)>& on_event) {
  epoll_event events[256];
  const int count = ::epoll_wait(epoll_.fd(), events, 256, -1);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.ptr) {
      on_event(events[i].data.ptr, events[i].events);
    } else {
      std::uint64_t expirations = 0;
      [[maybe_unused]] const auto got = ::read(timer_.fd(), &expirations, sizeof expirations);
    }
  }
}

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
