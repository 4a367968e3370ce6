// How long a connection may take for what it does, and how slowly its client may send and take.
#include <algorithm>
#include <utility>

#include "common/http/crowd.h"
#include "common/http/session.h"

namespace frond::http {
namespace {
constexpr std::size_t kUnratedBytes = 64 << 10;  // that may wait for a client without a minimum rate
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
