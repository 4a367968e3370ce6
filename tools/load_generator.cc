#include "tools/load_generator.h"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <utility>

#include "common/base/deadline.h"
#include "common/http/client_stream.h"
#include "common/http/socket.h"
#include "tools/answer_marks.h"
#include "tools/reply_reader.h"

namespace frond::tools {
namespace {
using http::Socket;
using http::SocketAddress;
using Status = tls::Step::Status;

constexpr auto kReconnectPause = std::chrono::milliseconds(50);
constexpr std::size_t kRead = 32 << 10;

struct Connection {
  Socket socket;
  std::unique_ptr<tls::Channel> channel;  // null: plain
  ReplyReader reader;
  bool connected = false, shaking = false, busy = false, waits_to_write = false;
  Instant due{};            // of the request in flight
  Instant retry_at{};       // when closed: not to be opened before
  std::string_view unsent;  // what is left of the request in flight
};

class Generator {
 public:
  Generator(SocketAddress address, std::string host, const std::vector<std::string>& requests,
            const LoadOptions& options)
      : address_(address),
        host_(std::move(host)),
        requests_(requests),
        options_(options),
        random_(options.seed),
        gap_(1.0) {}

  Result<LoadReport> run();

 private:
  Result<void> open_epoll();
  void start_clock();
  void queue_arrivals(Instant now);
  void use_idle_connections(Instant now);
  void begin(Connection& connection, Instant due);
  void open_connection(Connection& connection);
  void on_event(Connection& connection, std::uint32_t events);
  void on_writable(Connection& connection);
  void on_readable(Connection& connection);
  void shake(Connection& connection);
  bool take_replies(Connection& connection, std::size_t bytes);
  void read_secure(Connection& connection);
  void write_secure(Connection& connection);
  void write_rest(Connection& connection);
  bool finish(Connection& connection, const ReplyView& reply);
  void fail(Connection& connection, const std::string& why);
  void watch(Connection& connection, bool writes);
  void set_timer(Instant when);
  Instant next_wake(Instant now) const;
  void wait_for_events();
  void count_unanswered();
  bool recorded(Instant due) const { return due >= record_from_ && due < end_; }
  bool open_loop() const { return options_.rate > 0; }

  SocketAddress address_;
  std::string host_;
  const std::vector<std::string>& requests_;
  const LoadOptions& options_;
  std::mt19937_64 random_;
  std::exponential_distribution<double> gap_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Connection*> idle_;  // connected, nothing in flight
  std::vector<Connection*> down_;  // closed, waiting for their pause to end
  std::deque<Instant> backlog_;    // due, not yet sent
  Socket epoll_, timer_;
  std::size_t next_request_ = 0, in_flight_ = 0;
  Instant record_from_, end_, give_up_, next_arrival_;
  LoadReport report_;
};

Error system_error(const char* what) {
  return Error(Code::kUnavailable, std::string(what) + ": " + std::strerror(errno));
}

Result<void> Generator::open_epoll() {
  ::prctl(PR_SET_TIMERSLACK, 1);  // arrivals are microseconds apart; the kernel's default slack is 50 of them
  epoll_ = Socket(::epoll_create1(EPOLL_CLOEXEC));
  timer_ = Socket(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!epoll_.open() || !timer_.open()) return system_error("epoll");
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = nullptr;  // the timer
  if (::epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, timer_.fd(), &event) != 0) return system_error("epoll");
  return {};
}

void Generator::start_clock() {
  const auto now = SteadyClock().now();
  record_from_ = now + options_.warmup;
  end_ = record_from_ + options_.seconds;
  give_up_ = end_ + options_.drain;
  next_arrival_ = now;
}

// Every arrival whose instant has come; none after the end.
void Generator::queue_arrivals(Instant now) {
  while (next_arrival_ <= now && next_arrival_ < end_) {
    backlog_.push_back(next_arrival_);
    if (recorded(next_arrival_)) ++report_.requests;
    next_arrival_ += std::chrono::nanoseconds(static_cast<std::int64_t>(gap_(random_) / options_.rate * 1e9));
  }
}

void Generator::use_idle_connections(Instant now) {
  for (std::size_t i = 0; i < down_.size();) {
    if (down_[i]->retry_at > now) {
      ++i;
      continue;
    }
    auto* again = down_[i];
    down_.erase(down_.begin() + static_cast<std::ptrdiff_t>(i));
    open_connection(*again);
  }
  if (open_loop()) {
    while (!backlog_.empty() && !idle_.empty()) {
      auto* connection = idle_.back();
      idle_.pop_back();
      const auto due = backlog_.front();
      backlog_.pop_front();
      begin(*connection, due);
    }
    if (!backlog_.empty() && connections_.size() < options_.connections) {
      connections_.push_back(std::make_unique<Connection>());
      open_connection(*connections_.back());
    }
  } else if (now < end_) {
    auto ready = std::move(idle_);
    idle_.clear();
    for (auto* connection : ready) {
      const auto start = SteadyClock().now();
      if (recorded(start)) ++report_.requests;
      begin(*connection, start);
    }
  }
}

void Generator::begin(Connection& connection, Instant due) {
  connection.busy = true;
  connection.due = due;
  connection.unsent = requests_[next_request_];
  next_request_ = (next_request_ + 1) % requests_.size();
  ++in_flight_;
  write_rest(connection);
}

void Generator::open_connection(Connection& connection) {
  auto socket = connect_begin(address_);
  connection.connected = false;
  connection.reader.reset();
  if (!socket) return fail(connection, socket.error().message());
  connection.socket = std::move(socket).value();
  connection.channel = options_.trust ? options_.trust->open(connection.socket.fd(), host_) : nullptr;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT;
  event.data.ptr = &connection;
  connection.waits_to_write = true;
  if (::epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, connection.socket.fd(), &event) != 0)
    fail(connection, system_error("epoll").message());
}

void Generator::watch(Connection& connection, bool writes) {
  if (connection.waits_to_write == writes) return;
  connection.waits_to_write = writes;
  epoll_event event{};
  event.events = EPOLLIN | (writes ? EPOLLOUT : 0u);
  event.data.ptr = &connection;
  ::epoll_ctl(epoll_.fd(), EPOLL_CTL_MOD, connection.socket.fd(), &event);
}

void Generator::on_event(Connection& connection, std::uint32_t events) {
  if (!connection.socket.open()) return;  // failed earlier in this batch of events
  if (events & (EPOLLERR | EPOLLHUP)) {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(connection.socket.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return fail(connection, std::strerror(error));
  }
  if (connection.shaking) return shake(connection);
  if (events & EPOLLOUT) on_writable(connection);
  if (connection.socket.open() && !connection.shaking && events & (EPOLLIN | EPOLLHUP)) on_readable(connection);
}

void Generator::on_writable(Connection& connection) {
  if (!connection.connected) {
    connection.connected = true;
    if (connection.channel) return shake(connection);
    watch(connection, false);
    idle_.push_back(&connection);
    return;
  }
  write_rest(connection);
}

void Generator::shake(Connection& connection) {
  const auto step = connection.channel->handshake();
  if (step.status == Status::kFailed) return fail(connection, connection.channel->error());
  connection.shaking = step.status != Status::kDone;
  watch(connection, step.status == Status::kWantWrite);
  if (!connection.shaking) idle_.push_back(&connection);
}

void Generator::write_rest(Connection& connection) {
  if (connection.channel) return write_secure(connection);
  while (!connection.unsent.empty()) {
    const auto sent = ::send(connection.socket.fd(), connection.unsent.data(), connection.unsent.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return watch(connection, true);
    if (sent < 0) return fail(connection, std::strerror(errno));
    connection.unsent.remove_prefix(static_cast<std::size_t>(sent));
  }
  watch(connection, false);
}

void Generator::write_secure(Connection& connection) {
  while (!connection.unsent.empty()) {
    const auto step = connection.channel->write(connection.unsent);
    if (step.status == Status::kFailed) return fail(connection, connection.channel->error());
    if (step.status != Status::kDone) return watch(connection, true);
    connection.unsent.remove_prefix(step.bytes);
  }
  watch(connection, false);
}

void Generator::on_readable(Connection& connection) {
  if (connection.channel) return read_secure(connection);
  char* to = connection.reader.room(kRead);
  const auto got = ::recv(connection.socket.fd(), to, connection.reader.room_size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
  if (got < 0) return fail(connection, std::strerror(errno));
  if (got == 0) return fail(connection, "the broker closed the connection");
  take_replies(connection, static_cast<std::size_t>(got));
}

// All that is there: epoll knows nothing of what the channel has taken from the socket.
void Generator::read_secure(Connection& connection) {
  do {
    char* to = connection.reader.room(kRead);
    const auto step = connection.channel->read({to, connection.reader.room_size()});
    if (step.status == Status::kClosed) return fail(connection, "the broker closed the connection");
    if (step.status == Status::kFailed) return fail(connection, connection.channel->error());
    if (step.status != Status::kDone || !take_replies(connection, step.bytes)) return;
  } while (connection.channel->has_pending());
}

// False: the connection was closed.
bool Generator::take_replies(Connection& connection, std::size_t bytes) {
  connection.reader.received(bytes);
  for (;;) {
    const auto reply = connection.reader.next();
    const auto refuse = [&](const std::string& why) {
      fail(connection, why);
      return false;
    };
    if (!reply) return refuse(reply.error().message());
    if (!*reply) return true;
    if (!connection.busy || !connection.unsent.empty()) return refuse("a reply to no request");
    if (!finish(connection, **reply)) return false;
  }
}

// False: the connection was closed.
bool Generator::finish(Connection& connection, const ReplyView& reply) {
  const auto now = SteadyClock().now();
  connection.busy = false;
  --in_flight_;
  const auto marks = reply.status == 200 ? answer_marks(reply.body) : AnswerMarks{};
  if (now >= record_from_ && now < end_) report_.in_window += marks.answered;
  if (recorded(connection.due)) {
    ++report_.statuses[reply.status];
    report_.latency.add(static_cast<std::uint64_t>((now - connection.due).count()));
    if (reply.status == 200) {
      ++report_.answers;
      report_.cache_hits += marks.cache_hits;
      report_.degraded += marks.degraded;
      report_.refused += options_.queries_per_request - std::min(marks.answered, options_.queries_per_request);
    }
  }
  if (reply.keep_alive) {
    idle_.push_back(&connection);
    return true;
  }
  connection.channel.reset();
  connection.socket.close();  // asked for by the broker, and no error
  open_connection(connection);
  return false;
}

void Generator::fail(Connection& connection, const std::string& why) {
  const auto now = SteadyClock().now();
  if (now >= record_from_ && now < end_) ++report_.connection_errors;
  if (report_.first_error.empty()) report_.first_error = why;
  if (connection.busy) {
    connection.busy = false;
    --in_flight_;
  }
  std::erase(idle_, &connection);
  connection.unsent = {};
  connection.channel.reset();
  connection.shaking = false;
  connection.socket.close();
  connection.retry_at = now + kReconnectPause;
  down_.push_back(&connection);
}

void Generator::set_timer(Instant when) {
  const auto since_epoch = std::max<std::int64_t>(1, when.time_since_epoch().count());
  itimerspec spec{};
  spec.it_value.tv_sec = since_epoch / 1'000'000'000;
  spec.it_value.tv_nsec = since_epoch % 1'000'000'000;
  ::timerfd_settime(timer_.fd(), TFD_TIMER_ABSTIME, &spec, nullptr);
}

Instant Generator::next_wake(Instant now) const {
  Instant wake = now < end_ ? end_ : give_up_;
  if (open_loop() && next_arrival_ < end_) wake = std::min(wake, next_arrival_);
  for (const auto* connection : down_) wake = std::min(wake, connection->retry_at);
  return wake;
}

void Generator::wait_for_events() {
  epoll_event events[256];
  const int count = ::epoll_wait(epoll_.fd(), events, 256, -1);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.ptr) {
      on_event(*static_cast<Connection*>(events[i].data.ptr), events[i].events);
    } else {
      std::uint64_t expirations = 0;
      [[maybe_unused]] const auto got = ::read(timer_.fd(), &expirations, sizeof expirations);
    }
  }
}

void Generator::count_unanswered() {
  const auto now = SteadyClock().now();
  const auto count = [&](Instant due) {
    if (!recorded(due)) return;
    ++report_.unanswered;
    report_.latency.add(static_cast<std::uint64_t>((now - due).count()));
  };
  for (const auto due : backlog_) count(due);
  for (const auto& connection : connections_)
    if (connection->busy) count(connection->due);
}

Result<LoadReport> Generator::run() {
  FROND_TRY(open_epoll());
  start_clock();
  const unsigned at_start = open_loop() ? std::min(options_.connections, 16u) : options_.connections;
  for (unsigned i = 0; i < at_start; ++i) {
    connections_.push_back(std::make_unique<Connection>());
    open_connection(*connections_.back());
  }
  Instant armed{};
  for (;;) {
    const auto now = SteadyClock().now();
    if (open_loop()) queue_arrivals(now);
    use_idle_connections(now);
    if (now >= give_up_ || (now >= end_ && backlog_.empty() && in_flight_ == 0)) break;
    if (const auto wake = next_wake(now); wake != armed) {
      set_timer(wake);
      armed = wake;
    }
    wait_for_events();
  }
  count_unanswered();
  report_.seconds = std::chrono::duration<double>(options_.seconds).count();
  report_.queries_per_request = options_.queries_per_request;
  return std::move(report_);
}

}  // namespace

Result<LoadReport> generate_load(const net::Url& url, const std::vector<std::string>& requests,
                                 const LoadOptions& options) {
  FROND_CHECK(!requests.empty() && options.connections > 0);
  constexpr std::chrono::seconds kPatience{5};
  const auto reached = FROND_TRY(http::connect_within(url.host, url.port, kPatience));
  // Who can't be trusted is no broker to load: better said at once than by every connection.
  if (options.trust) FROND_TRY(http::ClientStream::connect(url.host, url.port, options.trust.get(), kPatience));
  return Generator(reached.address, url.host, requests, options).run();
}

}  // namespace frond::tools
