#include "tools/load/event_loop.h"

#include <sys/epoll.h>
#include <sys/prctl.h>
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

}  // namespace frond::tools
