#include "common/wire/peer_loop.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include "common/base/threads/thread_name.h"
#include "common/wire/codec.h"

namespace frond::wire {
namespace asio = boost::asio;
using std::chrono::milliseconds;
using zmtp::Connection;
using zmtp::End;
using zmtp::Trouble;

namespace {

constexpr milliseconds kTurn{500};                 // of the timer
constexpr milliseconds kLastTurn{10};              // while the loop waits for the network to take the last replies
constexpr milliseconds kBetweenChecks{250};        // of whether a peer's requests are valid
constexpr std::size_t kMaxUnsentBytes = 32 << 20;  // of a peer, beyond one reply
static_assert(kMaxHeldBytes >= kMaxUnsentBytes + kMaxMessageBytes);

PeerOutcome outcome_of(End end, bool ready) {
  switch (end) {
    case End::kHandshake:
      return PeerOutcome::kHandshake;
    case End::kTrouble:
      return ready ? PeerOutcome::kProtocol : PeerOutcome::kHandshake;
    case End::kSilent:
      return PeerOutcome::kSilent;
    case End::kStalled:
      return PeerOutcome::kStalled;
    case End::kLost:
      break;
  }
  return PeerOutcome::kClosed;
}

}  // namespace

class PeerLoop::Connected final : public Connection::Owner {
 public:
  Connected(PeerLoop& loop, std::shared_ptr<PeerLimits::Place> place, std::string address)
      : loop_(loop), name_(loop.name_of(place->id)), address_(std::move(address)), place_(std::move(place)) {}
  ~Connected() override {
    if (connection_) connection_->close();
  }
  Connected(const Connected&) = delete;
  Connected& operator=(const Connected&) = delete;

  void start(net::Socket socket, Instant now) {
    const RouterSocket::Config& config = loop_.parts_.config;
    auto mechanism = loop_.parts_.gate != nullptr ? loop_.parts_.gate->mechanism(address_, key_)
                                                  : zmtp::null_mechanism(zmtp::Role::kRouter);
    const Connection::Limits limits{config.max_request_bytes, kMaxUnsentBytes, config.handshake_timeout,
                                    kHeartbeatInterval, kHeartbeatInterval + kHeartbeatTimeout};
    connection_ =
        std::make_shared<Connection>(std::move(socket), std::move(mechanism), limits, *this, loop_.shared_, now);
    connection_->start();
  }
  void on_ready(Connection&) override { loop_.parts_.counts.add(PeerOutcome::kReady); }
  void on_message(Connection&, ByteView request) override {
    const Parts& parts = loop_.parts_;
    if (parts.gate != nullptr && !parts.gate->still_lets_in(key_)) return;
    if (const Instant now = parts.clock.now(); !used_ || now - place_->asked() >= kBetweenChecks) {
      if (target_of(request)) {
        used_ = true;
        place_->ask(now);
      }
    }
    loop_.reading_ = name_;
    loop_.receiver_(name_, request);  // does not throw
    loop_.reading_.clear();
  }
  void on_end(Connection& connection, End end, Trouble trouble) override {
    const bool was_ready = connection.was_ready();
    if (loop_.parts_.gate != nullptr && !was_ready && trouble != Trouble::kRefused)
      loop_.parts_.gate->count_failed(trouble, address_);
    leave(outcome_of(end, was_ready));
  }
  void on_held(std::size_t bytes) override {
    const std::size_t all = loop_.parts_.limits.hold(*place_, bytes);
    if (all > loop_.parts_.config.max_held_bytes && bytes > 0) loop_.overfull();
  }
  // Ends this object.
  void leave(PeerOutcome outcome) {
    loop_.parts_.counts.add(outcome);
    loop_.remove(name_);
  }
  // Ends this object if its peer has not used it in time.
  void tick(Instant now) {
    const auto connection = connection_;
    if (connection->ready() && !used_ && now - connection->since() > loop_.parts_.config.unused_timeout)
      return leave(PeerOutcome::kUnused);
    if (used_ && connection->heard() > place_->heard()) place_->hear(connection->heard());
    connection->tick(now);
  }

  const std::shared_ptr<Connection>& connection() const { return connection_; }

 private:
  PeerLoop& loop_;
  const Peer name_;
  const std::string address_;
  const std::shared_ptr<PeerLimits::Place> place_;
  std::string key_;  // Z85; with CURVE
  std::shared_ptr<Connection> connection_;
  bool used_ = false;  // by a valid request
};

PeerLoop::PeerLoop(const Parts& parts, unsigned number)
    : parts_(parts), number_(number), turned_(parts.clock.now().time_since_epoch().count()) {}

PeerLoop::~PeerLoop() {
  begin_stop(Instant::min());
  join();
  peers_.clear();
}

// The loop's number, and 8 bytes: short enough for a string without memory of its own.
Peer PeerLoop::name_of(std::uint64_t place) const {
  Peer name(1 + sizeof place, static_cast<char>(number_));
  std::memcpy(name.data() + 1, &place, sizeof place);
  return name;
}

void PeerLoop::start(RouterSocket::Receiver receiver, RouterSocket::Gone gone) {
  receiver_ = std::move(receiver);
  gone_ = std::move(gone);
  turned_.store(parts_.clock.now().time_since_epoch().count(), std::memory_order_relaxed);
  thread_ = std::thread([this] {
    name_this_thread("leaf-socket");
    for (;;) {
      try {
        arm();
        io_.run();
        return;
      } catch (const std::exception&) {  // out of memory for one message: it is lost, the next ones are handled
        drop();
      }
    }
  });
}

void PeerLoop::adopt(net::Socket socket, std::shared_ptr<PeerLimits::Place> place, std::string address) {
  asio::dispatch(io_,
                 [this, socket = std::move(socket), place = std::move(place), address = std::move(address)]() mutable {
                   auto peer = std::make_unique<Connected>(*this, place, std::move(address));
                   peer->start(std::move(socket), parts_.clock.now());
                   peers_.emplace(name_of(place->id), std::move(peer));
                 });
}

void PeerLoop::close(std::uint64_t place, PeerOutcome outcome) {
  asio::dispatch(io_, [this, place, outcome] {
    if (const auto peer = peers_.find(name_of(place)); peer != peers_.end()) peer->second->leave(outcome);
  });
}

void PeerLoop::remove(const Peer& peer) {
  const auto removed = peers_.extract(peer);  // destroyed when nothing refers to it any more: `peer` is its own
  if (gone_) gone_(peer);
}

bool PeerLoop::send(const Peer& peer, ByteBuffer reply) {
  if (io_.get_executor().running_in_this_thread() && peer == reading_) return deliver_now({peer, std::move(reply)});
  {
    const MutexLock lock(mutex_);
    if (stopping_ || pending_.size() >= parts_.config.max_pending_replies ||
        pending_bytes_ + reply.size() > parts_.config.max_pending_bytes) {
      drop();
      return false;
    }
    pending_bytes_ += reply.size();
    pending_.push_back({peer, std::move(reply)});
    if (pending_.size() > 1) return true;  // the first one has called the thread
  }
  asio::post(io_, [this] { send_pending(); });
  return true;
}

// False: it is lost.
bool PeerLoop::deliver(const Pending& reply) {
  const auto peer = peers_.find(reply.peer);
  if (peer == peers_.end()) return false;
  const auto& connection = peer->second->connection();
  try {
    const bool flushed_later = reply.peer != reading_ && (written_.empty() || written_.back() != connection);
    if (flushed_later) written_.push_back(connection);
    return connection->send(reply.bytes);
  } catch (const std::exception&) {  // out of memory
    return false;
  }
}

// The reply to a request whose receiver is running. Its connection flushes when it has handed on what it has read.
bool PeerLoop::deliver_now(const Pending& reply) {
  if (deliver(reply)) return true;
  drop();
  return false;
}

void PeerLoop::send_pending() {
  {
    const MutexLock lock(mutex_);
    sending_.swap(pending_);
    pending_bytes_ = 0;
  }
  for (const Pending& reply : sending_)
    if (!deliver(reply)) drop();
  sending_.clear();
  for (const auto& connection : std::exchange(written_, {})) connection->flush();
}

// Sets the timer, unless it is set.
void PeerLoop::arm() {
  if (armed_) return;
  {
    const MutexLock lock(mutex_);
    timer_.expires_after(stopping_ ? kLastTurn : kTurn);
  }
  timer_.async_wait([this](const boost::system::error_code&) {  // also when begin_stop() cancels it
    armed_ = false;
    tick();
  });
  armed_ = true;
}

// What an exception left undone elsewhere is done here, so the timer is set before there can be one.
void PeerLoop::tick() {
  arm();
  const Instant now = parts_.clock.now();
  turned_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  send_pending();
  std::vector<Peer> names;
  names.reserve(peers_.size());
  for (const auto& [name, peer] : peers_) names.push_back(name);
  for (const Peer& name : names)
    if (const auto peer = peers_.find(name); peer != peers_.end()) peer->second->tick(now);
  if (stopped()) close_all();
}

void PeerLoop::overfull() {
  if (trimming_) return;
  asio::post(io_, [this] { trim(); });
  trimming_ = true;
}

// Closes connections of all loops until together they hold less than the limit.
void PeerLoop::trim() {
  trimming_ = false;
  for (const std::uint64_t place : parts_.limits.shed(parts_.config.max_held_bytes))
    for (const auto& loop : parts_.loops) loop->close(place, PeerOutcome::kMemory);
}

void PeerLoop::begin_stop(Instant deadline) {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    stop_at_ = deadline;
  }
  asio::post(io_, [this] { timer_.cancel(); });
}

// Whether the loop is to end now.
bool PeerLoop::stopped() {
  const MutexLock lock(mutex_);
  if (!stopping_ || parts_.clock.now() >= stop_at_) return stopping_;
  return pending_.empty() && std::all_of(peers_.begin(), peers_.end(),
                                         [](const auto& peer) { return peer.second->connection()->unsent() == 0; });
}

void PeerLoop::close_all() {
  peers_.clear();
  io_.stop();
}

void PeerLoop::join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace frond::wire
