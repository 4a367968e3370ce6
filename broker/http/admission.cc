#include "broker/http/admission.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace frond::broker::http {

bool Admission::has_room(Kind kind) const {
  const std::size_t places = adaptive_.limit();
  const std::size_t of_batch = std::max<std::size_t>(1, limits_.batch * places / limits_.all);
  if (all_ >= places || (kind.batch && batch_ >= of_batch)) return false;
  if (!kind.costly) return true;
  const std::size_t of_costly = places < limits_.all ? std::max<std::size_t>(1, places / 2) : limits_.costly;
  if (costly_ >= std::min(limits_.costly, of_costly)) return false;
  const auto client = clients_.find(kind.client);
  return client == clients_.end() || client->second.running < limits_.costly_per_client;
}

void Admission::take(Kind kind) {
  ++all_;
  batch_ += kind.batch;
  costly_ += kind.costly;
  if (kind.costly) ++clients_[kind.client].running;
}

void Admission::forget_if_idle(const frond::http::ClientId& client) {
  const auto at = clients_.find(client);
  if (at != clients_.end() && at->second.running + at->second.waiting == 0) clients_.erase(at);
}

bool Admission::try_begin(Kind kind) {
  const MutexLock lock(mutex_);
  if (!has_room(kind)) return false;
  take(kind);
  return true;
}

std::optional<Admission::Ticket> Admission::wait(Kind kind, std::function<void()> begin) {
  const MutexLock lock(mutex_);
  if (has_room(kind)) {
    take(kind);
    return {};
  }
  if (kind.costly) {
    Client& client = clients_[kind.client];
    if (!kind.batch && client.waiting >= limits_.waiting) {
      forget_if_idle(kind.client);
      return kRefused;
    }
    ++client.waiting;
  }
  waiting_.push_back({++last_, kind, std::move(begin)});
  return last_;
}

void Admission::take_out(std::list<Waiting>::iterator at, std::list<Waiting>& to) {
  if (at->kind.costly) {
    --clients_[at->kind.client].waiting;
    forget_if_idle(at->kind.client);
  }
  to.splice(to.begin(), waiting_, at);
}

void Admission::leave(Ticket ticket) {
  std::list<Waiting> left;  // destroyed without the lock
  const MutexLock lock(mutex_);
  const auto at =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) { return one.ticket == ticket; });
  if (at != waiting_.end()) take_out(at, left);
}

void Admission::end(Kind kind, const std::optional<Ended>& ended) {
  {
    const MutexLock lock(mutex_);
    FROND_CHECK(all_ > 0 && batch_ >= kind.batch && costly_ >= kind.costly);
    // Costly ones may take long; those that do not tell that there is room.
    if (ended && (!kind.costly || ended->used <= AdaptiveLimit::kAim))
      adaptive_.ended(ended->places, ended->used, ended->now);
    --all_;
    batch_ -= kind.batch;
    costly_ -= kind.costly;
    if (kind.costly) {
      --clients_[kind.client].running;
      forget_if_idle(kind.client);
    }
    if (waiting_.empty() || giving_) return;
    giving_ = true;
  }
  give();
}

Admission::Taken Admission::taken() const {
  const MutexLock lock(mutex_);
  return {all_, batch_, costly_, waiting_.size(), adaptive_.limit()};
}

// `begin` may end its search at once or wait again, and other threads end theirs meanwhile: only one call is in this
// loop, which looks again after each `begin`.
void Admission::give() {
  while (const auto begin = next_to_begin()) begin();
}

// Takes a place for one that waits and has room: the first of the client with the fewest costly searches. Empty: there
// is none, and giving is over.
std::function<void()> Admission::next_to_begin() {
  const MutexLock lock(mutex_);
  const auto taken_by = [&](Kind kind) FROND_REQUIRES(mutex_) {
    const auto client = kind.costly ? clients_.find(kind.client) : clients_.end();
    return client == clients_.end() ? 0 : client->second.running;
  };
  auto next = waiting_.end();
  for (auto one = waiting_.begin(); one != waiting_.end(); ++one)
    if (has_room(one->kind) && (next == waiting_.end() || taken_by(one->kind) < taken_by(next->kind))) next = one;
  if (next == waiting_.end()) {
    giving_ = false;
    return {};
  }
  take(next->kind);
  std::list<Waiting> taken;
  take_out(next, taken);
  return std::move(taken.front().begin);
}

}  // namespace frond::broker::http
