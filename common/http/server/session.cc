// A connection's start and end, answers that arrive from other threads, and how slowly its client may send and take.
#include "common/http/server/session.h"

#include <boost/asio/post.hpp>

#include "common/tls/certificates.h"

namespace frond::http {
namespace {

namespace asio = boost::asio;

asio::ip::address address_of(const net::Socket& socket) {
  boost::system::error_code gone;
  const net::Endpoint peer = socket.remote_endpoint(gone);
  return gone ? asio::ip::address() : net::address_of(peer);  // if it is gone, the connection closes soon
}
Stream open(const ServerCore& core, net::Socket socket) {
  auto channel = core.config.tls ? core.config.tls->open(socket.native_handle()) : nullptr;
  return {std::move(socket), std::move(channel)};
}

constexpr std::size_t kUnratedBytes = 64 << 10;  // that may wait for a client without a minimum rate

// The bytes that a client must have moved in `time`.
std::uint64_t bytes_due(std::size_t bytes_a_second, std::chrono::steady_clock::duration time) {
  return static_cast<std::uint64_t>(static_cast<double>(bytes_a_second) * std::chrono::duration<double>(time).count());
}
}  // namespace

Session::Session(std::shared_ptr<ServerCore> core, net::Socket socket)
    : core_(std::move(core)),
      client_(core_->group->clients.enter(address_of(socket))),
      stream_(open(*core_, std::move(socket))),
      parser_({.max_header = core_->config.max_header}) {
  core_->sessions.enter(by_age_, std::chrono::steady_clock::now());
  ++core_->session_count;
  ++core_->group->sessions;
}
Session::~Session() { leave(); }

void Session::start() {
  if (stream_.secure()) state_ = State::kHandshake;
  enter_phase(true);
  if (state_ != State::kHandshake) return read();
  stream_.handshake([self = shared_from_this()](Stream::Greeting greeting) { self->greeted(greeting); });
}
void Session::restrict(Restriction why) {
  restriction_ = why;
  core_->restricted.enter(by_restriction_, std::chrono::steady_clock::now());
  ++core_->restricted_count;
  ++core_->group->restricted;
}

void Session::fail_handshake(std::string_view reason) {
  if (core_->config.on_handshake_failure) core_->config.on_handshake_failure(reason);
}
void Session::greeted(Stream::Greeting greeting) {
  if (!stream_.is_open()) return;
  advance(State::kFresh);
  enter_phase();
  switch (greeting) {
    case Stream::Greeting::kDone:
      return read();
    case Stream::Greeting::kPlain:
      fail_handshake("plain");
      return refuse(problem(400, "Bad request", "This port speaks HTTPS only: ask with https://."));
    case Stream::Greeting::kClosed:
      fail_handshake("closed");
      break;
    case Stream::Greeting::kRefused:
      fail_handshake("refused");
      break;
  }
  close();
}

void Session::answer(std::uint64_t sequence, Response response, std::string_view route) {
  if (core_->io.get_executor().running_in_this_thread()) return encode(sequence, std::move(response), route);
  asio::post(core_->io, [self = shared_from_this(), sequence, response = std::move(response), route]() mutable {
    self->encode(sequence, std::move(response), route);
  });
}
void Session::abandon(std::uint64_t sequence) {
  asio::post(core_->io, [self = shared_from_this(), sequence] {
    self->last_ = std::min(self->last_, sequence);
    self->settle(sequence, problem(500, "Internal error", "The request was dropped."), {});
  });
}
void Session::watch(std::uint64_t sequence, std::function<void()> gone) {
  if (Slot* const slot = find(sequence)) slot->gone = std::move(gone);
}

Session::Slot* Session::find(std::uint64_t sequence) {
  if (slots_.empty() || sequence < slots_.front().sequence || sequence > slots_.back().sequence) return nullptr;
  Slot& slot = slots_[sequence - slots_.front().sequence];
  return slot.ready ? nullptr : &slot;
}
// The client has left: calls on_client_gone's functions, posted, since they may answer at once.
void Session::tell_gone() {
  for (Slot& slot : slots_)
    if (auto gone = std::exchange(slot.gone, nullptr); gone && !core_->closed)
      asio::post(core_->io, [self = shared_from_this(), gone = std::move(gone)] { gone(); });
}

// A client that ended its side may still read, or may have closed: that can't be told apart, so it gets some time.
void Session::tell_gone_soon() {
  const auto timer = std::make_shared<asio::steady_timer>(core_->io, kAnswerAfterEnd);
  timer->async_wait([timer, held = weak_from_this()](const ErrorCode& ec) {
    if (const auto self = held.lock(); self && !ec) self->tell_gone();
  });
}

void Session::drain() {
  if (idle()) close();
}
void Session::close() {
  if (!stream_.is_open()) return;
  stream_.close();
  tell_gone();
  leave();
}
void Session::leave() {
  if (state_ == State::kClosed) return;  // another thread may drop the last reference, but only after close()
  state_ = State::kClosed;
  slots_.clear();
  writing_bytes_.clear();
  pieces_.reset();
  pieces_bytes_ = {};
  counted_ = nullptr;
  patience_.reset();
  for (AgeLink* const link : {&by_age_, &by_phase_, &by_client_, &by_restriction_}) link->leave();
  core_->group->clients.leave(client_);
  --core_->session_count;
  --core_->group->sessions;
  if (restriction_ != Restriction::kNone) {
    --core_->restricted_count;
    --core_->group->restricted;
  }
  if (core_->draining && core_->session_count == 0 && core_->drained)
    asio::post(core_->io, std::exchange(core_->drained, nullptr));
}

Phase Session::phase_now() const {
  if (state_ == State::kLingering) return Phase::kLingering;
  if (state_ == State::kHandshake) return Phase::kHandshake;
  if (writing_) return Phase::kWriting;
  if (!slots_.empty()) return Phase::kWorking;
  if (routing_) return Phase::kBody;
  if (parser_.begun()) return Phase::kHeader;
  return state_ == State::kFresh ? Phase::kFresh : Phase::kIdle;
}

// To be called after anything that may change the phase. `anew`: the same phase begins again.
void Session::enter_phase(bool anew) {
  const Phase phase = phase_now();
  if (state_ == State::kClosed || (phase == phase_ && !anew)) return;
  phase_ = phase;
  const Time now = std::chrono::steady_clock::now();
  const bool waits = phase <= Phase::kIdle;  // for its client to send something
  if (waits && restriction_ != Restriction::kNone)
    return by_phase_.leave();  // has a time limit of its own, and never makes room
  core_->phases[static_cast<std::size_t>(phase)].enter(by_phase_, now);
  if (waits)
    client_.second.waiting[core_->number].enter(by_client_, now);
  else
    by_client_.leave();
  if (phase != Phase::kBody && phase != Phase::kWriting) return;
  phase_begun_ = progress_at_ = now;
  mark_set_ = false;
}
void Session::look_again(Time now) { core_->phases[static_cast<std::size_t>(phase_)].enter(by_phase_, now); }

void Session::expire(Time now) {
  ServerGroup& counters = *core_->group;
  switch (phase_) {
    case Phase::kHandshake:
      fail_handshake("timeout");
      return close();
    case Phase::kFresh:
    case Phase::kIdle:
      ++counters.idle;
      return close();
    case Phase::kHeader:
      ++counters.slow_headers;
      return refuse(problem(408, "Request timeout", "The request's header did not come whole in time."));
    case Phase::kBody:
      if (patience_ || !sends_too_slowly(now)) return look_again(now);
      ++counters.slow_bodies;
      return refuse(problem(408, "Request timeout", "The request's body comes too slowly."), routing_->label);
    case Phase::kWorking:
      // While nothing is read (after a last request, or with too many pipelined ones), only this notices that the
      // client has left.
      look_again(now);
      if (reading_ != Reading::kActive && stream_.peer_ended()) tell_gone();
      return;
    case Phase::kWriting:
      if (!takes_too_slowly(now)) return look_again(now);
      ++counters.slow_readers;
      return close();
    case Phase::kLingering:
      return close();
  }
}
void Session::expire_restricted(Time now) {
  core_->restricted.enter(by_restriction_, now);
  if (phase_ == Phase::kFresh || phase_ == Phase::kHeader) return refuse(no_room());
  if (phase_ <= Phase::kIdle) close();
}
Response Session::no_room() {
  const bool address = restriction_ == Restriction::kAddress;
  ++(address ? core_->group->refused_of_address : core_->group->refused_connections);
  auto response = address ? problem(429, "Too many requests", "Too many connections from this address; try again soon.")
                          : problem(503, "Unavailable", "Too many connections; try again soon.");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}
void Session::give_way() {
  ++core_->group->gave_way;
  close();
}

// The first window only sets the mark: bytes may have moved before it began.
bool Session::sends_too_slowly(Time now) {
  if (now - phase_begun_ > core_->config.idle_timeout) return true;
  const std::uint64_t sent = received_ - std::exchange(mark_, received_);
  return std::exchange(mark_set_, true) && sent < bytes_due(core_->config.min_client_rate, now - since());
}
bool Session::takes_too_slowly(Time now) {
  const std::uint64_t taken = stream_.taken();
  const std::uint64_t moved = taken - std::min(taken, std::exchange(mark_, taken));
  if (!std::exchange(mark_set_, true)) return false;
  if (moved > 0) progress_at_ = now;
  if (now - progress_at_ > core_->config.idle_timeout) return true;
  if (unsent_ <= kUnratedBytes) return false;
  std::size_t rate = core_->config.min_client_rate;
  if (core_->group->unsent.used() > core_->group->unsent.limit() / 2)  // crowded: other clients need the room
    rate = std::max<std::size_t>(
        rate, unsent_ / static_cast<std::size_t>(std::max<std::int64_t>(core_->config.idle_timeout.count(), 1)));
  return moved < bytes_due(rate, now - since());
}

}  // namespace frond::http
