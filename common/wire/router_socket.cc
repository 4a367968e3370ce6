#include "common/wire/router_socket.h"

#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.hpp>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/thread_name.h"
#include "common/net/address.h"
#include "common/wire/curve_gate.h"
#include "common/wire/io_pulse.h"

namespace frond::wire {
namespace {

// Replies are sent after this many requests, so that a burst does not delay them.
constexpr int kRequestsARound = 64;
// The loop turns this often even when nothing happens, so that a hanging one is noticed.
constexpr std::chrono::milliseconds kTurn{1000};

// ZeroMQ binds to numeric addresses and interfaces only, so names are looked up here.
Result<std::string> bindable(const std::string& listen) {
  const net::HostPort at = FROND_TRY(net::parse_tcp_endpoint(listen));
  const std::string port = std::to_string(at.port);
  if (at.host.empty() || at.host == "*") return "tcp://*:" + port;
  const auto invalid = [&](const char* why) { return Error(Code::kInvalid, "'" + listen + "': " + why); };
  const addrinfo hints{.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM};
  addrinfo* found = nullptr;
  if (const int failure = getaddrinfo(at.host.c_str(), nullptr, &hints, &found); failure != 0)
    return invalid(gai_strerror(failure));
  char numeric[NI_MAXHOST] = {};
  const int failure =
      getnameinfo(found->ai_addr, found->ai_addrlen, numeric, sizeof numeric, nullptr, 0, NI_NUMERICHOST);
  freeaddrinfo(found);
  if (failure != 0) return invalid(gai_strerror(failure));
  return "tcp://" + net::join(numeric, port);
}

class ZmqRouterSocket final : public RouterSocket {
 public:
  explicit ZmqRouterSocket(Config config)
      : config_(std::move(config)), context_(static_cast<int>(config_.io_threads)) {}
  ~ZmqRouterSocket() override {
    stop(std::chrono::milliseconds(0));
    if (wake_ >= 0) close(wake_);
  }

  Result<void> bind();
  std::uint16_t port() const override { return port_; }
  void start(Receiver receiver) override {
    FROND_CHECK(!thread_.joinable());
    turned_.store(clock_.now().time_since_epoch().count(), std::memory_order_relaxed);
    thread_ = std::thread([this, on_request = std::move(receiver)] { run(on_request); });
  }
  bool send(const Peer& peer, ByteBuffer reply) override;
  void stop(std::chrono::milliseconds linger) override;
  std::uint64_t dropped() const override { return dropped_.load(std::memory_order_relaxed); }
  CurveCounters curve() const override { return gate_ ? gate_->counters() : CurveCounters{}; }
  std::vector<Loop> loops() const override;

 private:
  struct Pending {
    Peer peer;
    ByteBuffer bytes;
  };

  void run(const Receiver& receiver);
  void turn();
  void watch_io_threads();
  bool receive(const Receiver& receiver);
  bool let_in(const zmq::message_t& request, const CurvePublicKeys* keys);
  void send_pending();
  void send_one(const Pending& reply);
  bool may_sleep();
  void wake();
  void clear_wake();
  void drop() { dropped_.fetch_add(1, std::memory_order_relaxed); }

  const Config config_;
  std::optional<CurveGate> gate_;  // its thread ends with the context, so it is destroyed after that
  zmq::context_t context_;
  zmq::socket_t socket_;  // the creator's until start(), then the thread's until it is joined
  std::uint16_t port_ = 0;
  int wake_ = -1;                    // eventfd: something is pending, or stop
  std::atomic<bool> asleep_{false};  // the thread waits, or is about to: it has to be woken for what is pending
  const SteadyClock clock_;
  std::vector<std::unique_ptr<IoPulse>> pulses_;  // owned as socket_; none: the system has no abstract Unix sockets
  Instant next_pulse_{};                          // the thread's
  std::vector<Pending> sending_;                  // the thread's; empty, but keeps its memory
  std::atomic<Instant::rep> turned_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::thread thread_;
  Mutex mutex_;
  std::vector<Pending> pending_ FROND_GUARDED_BY(mutex_);
  std::size_t pending_bytes_ FROND_GUARDED_BY(mutex_) = 0;
  bool stopping_ FROND_GUARDED_BY(mutex_) = false;
};

Result<void> ZmqRouterSocket::bind() {
  const std::string address = FROND_TRY(bindable(config_.listen));
  try {
    wake_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (wake_ < 0) return Error(Code::kUnavailable, "no eventfd: too many open files");
    socket_ = zmq::socket_t(context_, zmq::socket_type::router);
    socket_.set(zmq::sockopt::router_mandatory, true);  // otherwise replies to a lost peer are dropped uncounted
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::ipv6, true);
    socket_.set(zmq::sockopt::sndhwm, config_.high_water_mark);
    socket_.set(zmq::sockopt::rcvhwm, config_.high_water_mark);
    socket_.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(config_.max_request_bytes));
    socket_.set(zmq::sockopt::heartbeat_ivl, static_cast<int>(kHeartbeatInterval.count()));
    socket_.set(zmq::sockopt::heartbeat_timeout, static_cast<int>(kHeartbeatTimeout.count()));
    socket_.set(zmq::sockopt::heartbeat_ttl, static_cast<int>(kHeartbeatTimeout.count()));
    if (config_.curve) {
      FROND_TRY(curve_is_built_in());
      gate_.emplace(context_, *config_.curve->clients, config_.log);
      gate_->guard(socket_, config_.curve->keys);
    }
    socket_.bind(address);
    watch_io_threads();
    const std::string bound = socket_.get(zmq::sockopt::last_endpoint);
    port_ = static_cast<std::uint16_t>(std::stoul(bound.substr(bound.rfind(':') + 1)));
    return {};
  } catch (const zmq::error_t& e) {
    const bool taken = e.num() == EADDRINUSE || e.num() == EACCES || e.num() == EADDRNOTAVAIL || e.num() == EMFILE;
    return Error(taken ? Code::kUnavailable : Code::kInvalid, "'" + config_.listen + "': " + e.what());
  } catch (const std::exception& e) {
    return Error(Code::kInvalid, "'" + config_.listen + "': " + e.what());
  }
}

// Without pulses the leaf works as well; only /livez does not see whether ZeroMQ's threads run.
void ZmqRouterSocket::watch_io_threads() {
  try {
    for (unsigned i = 0; i < config_.io_threads; ++i) pulses_.push_back(std::make_unique<IoPulse>(context_, i, clock_));
  } catch (const zmq::error_t& e) {
    if (config_.log != nullptr) config_.log->warn("ZeroMQ's thread is not watched", {{"error", e.what()}});
  }
}

std::vector<Loop> ZmqRouterSocket::loops() const {
  // The socket's loop first: its thread also steps the pulses of ZeroMQ's.
  std::vector<Loop> loops = {{"socket", Instant(Instant::duration(turned_.load(std::memory_order_relaxed)))}};
  const auto first = std::min_element(pulses_.begin(), pulses_.end(),
                                      [](const auto& a, const auto& b) { return a->turned() < b->turned(); });
  if (first != pulses_.end()) loops.push_back({"zeromq", (*first)->turned()});
  if (gate_) loops.push_back({"curve", gate_->turned()});
  return loops;
}

void ZmqRouterSocket::turn() {
  const Instant now = clock_.now();
  turned_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  if (now < next_pulse_) return;
  next_pulse_ = now + kTurn;
  for (const auto& pulse : pulses_) pulse->step();
}

bool ZmqRouterSocket::send(const Peer& peer, ByteBuffer reply) {
  {
    const MutexLock lock(mutex_);
    if (stopping_ || pending_.size() >= config_.max_pending_replies ||
        pending_bytes_ + reply.size() > config_.max_pending_bytes) {
      drop();
      return false;
    }
    pending_bytes_ += reply.size();
    pending_.push_back({peer, std::move(reply)});
  }
  if (asleep_.load() && asleep_.exchange(false)) wake();
  return true;
}

void ZmqRouterSocket::stop(std::chrono::milliseconds linger) {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
  if (!socket_) return;
  try {
    socket_.set(zmq::sockopt::linger, static_cast<int>(linger.count()));
  } catch (const zmq::error_t&) {  // then the context is closed at once
  }
  socket_.close();
  pulses_.clear();
  context_.close();  // returns when the network has taken the replies, or `linger` is over
}

void ZmqRouterSocket::run(const Receiver& receiver) {
  name_this_thread("leaf-socket");
  pollfd watched[] = {{socket_.get(zmq::sockopt::fd), POLLIN, 0}, {wake_, POLLIN, 0}};
  bool more = true;  // requests may be there
  for (;;) {
    try {
      // ZeroMQ's descriptor becomes readable when something happens, and only once for what is then not received: so
      // the thread sleeps only after ZeroMQ had no more requests. zmq_poll() needs no such care, but makes two to three
      // times as many system calls.
      if (more || !may_sleep() || poll(watched, std::size(watched), kTurn.count()) <= 0) watched[1].revents = 0;
      asleep_.store(false);
      turn();
      if (watched[1].revents & POLLIN) clear_wake();
      send_pending();
      {
        const MutexLock lock(mutex_);
        if (stopping_ && pending_.empty()) return;
      }
      more = true;  // also if this throws
      more = receive(receiver);
    } catch (const zmq::error_t& e) {
      if (e.num() == ETERM || e.num() == ENOTSOCK) return;  // the context has ended; otherwise (EINTR) go on
    } catch (const std::exception&) {
      drop();  // out of memory for one message: it is lost, the next ones are handled
    }
  }
}

// Whether nothing is pending. What becomes pending from now on wakes the thread.
bool ZmqRouterSocket::may_sleep() {
  asleep_.store(true);
  const MutexLock lock(mutex_);
  return pending_.empty() && !stopping_;
}

// A message is [peer][request]; a message of any other shape is dropped. False: there are no more.
bool ZmqRouterSocket::receive(const Receiver& receiver) {
  const auto keys = gate_ ? config_.curve->clients->keys() : nullptr;
  for (int i = 0; i < kRequestsARound; ++i) {
    zmq::message_t peer, request;
    if (!socket_.recv(peer, zmq::recv_flags::dontwait)) return false;
    bool whole = peer.more();
    if (whole) whole = socket_.recv(request, zmq::recv_flags::dontwait).has_value();
    if (whole && !request.more()) {
      if (!let_in(request, keys.get())) continue;
      receiver(peer.to_string(), ByteView(static_cast<const std::byte*>(request.data()), request.size()));
      continue;
    }
    while (request.more() && socket_.recv(request, zmq::recv_flags::dontwait)) {
    }
  }
  return true;
}

// Requests from a key that was removed from the list are ignored: libzmq cannot close the connection.
bool ZmqRouterSocket::let_in(const zmq::message_t& request, const CurvePublicKeys* keys) {
  if (keys == nullptr) return true;
  const char* const key = zmq_msg_gets(request.handle(), kKeyProperty);
  if (key != nullptr && keys->contains(std::string_view(key))) return true;
  gate_->count_revoked();
  return false;
}

void ZmqRouterSocket::send_pending() {
  {
    const MutexLock lock(mutex_);
    if (pending_.empty()) return;
    sending_.clear();  // of replies that an exception has left there
    sending_.swap(pending_);
    pending_bytes_ = 0;
  }
  for (const Pending& reply : sending_) send_one(reply);
  sending_.clear();
}

void ZmqRouterSocket::send_one(const Pending& reply) {
  try {
    // A full peer (EAGAIN) gives an empty result, a lost one (EHOSTUNREACH) throws; both at the first frame.
    const auto flags = zmq::send_flags::dontwait;
    if (!socket_.send(zmq::buffer(reply.peer), flags | zmq::send_flags::sndmore) ||
        !socket_.send(zmq::buffer(reply.bytes.data(), reply.bytes.size()), flags))
      drop();
  } catch (const zmq::error_t&) {
    drop();
  }
}

void ZmqRouterSocket::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(wake_, &one, sizeof one);  // if it is full, the thread is awake already
}

void ZmqRouterSocket::clear_wake() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto taken = read(wake_, &count, sizeof count);
}

}  // namespace

Result<std::unique_ptr<RouterSocket>> RouterSocket::create(Config config) {
  try {
    auto socket = std::make_unique<ZmqRouterSocket>(std::move(config));
    FROND_TRY(socket->bind());
    return std::unique_ptr<RouterSocket>(std::move(socket));
  } catch (const std::exception& e) {  // zmq::error_t of the context: out of descriptors
    return Error(Code::kUnavailable, e.what());
  }
}

}  // namespace frond::wire
