#include "broker/http/admission/admission.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace frond::broker::http {

bool Admission::has_room(const Kind& kind, const Client& client) const {
  const std::size_t places = adaptive_.limit();
  const std::size_t of_batch = std::max<std::size_t>(1, limits_.batch * places / limits_.all);
  if (all_ >= places || (kind.batch && batch_ >= of_batch)) return false;
  return !kind.costly || (costly_ < costly_places() && client.costly < limits_.costly_per_client);
}

std::size_t Admission::costly_places() const {
  const std::size_t places = adaptive_.limit();
  return places < limits_.all ? std::min(limits_.costly, std::max<std::size_t>(1, places / 2)) : limits_.costly;
}

// A free place is not for a client that has its share while others wait for theirs.
bool Admission::may_begin(const Kind& kind, const Client& client) const {
  return has_room(kind, client) && (usual_waiting_ == 0 || !is_usual(kind) || below_share(client));
}

bool Admission::below_share(const Client& client) const {
  return (client.running + client.waiting) * weights_ < adaptive_.limit() * client.weight;
}

bool Admission::may_wait(const Kind& kind, const Client& client) const {
  if (kind.batch) return true;
  if (kind.costly) return client.costly_waiting < limits_.waiting;
  const std::size_t allowed = std::min(limits_.waiting, std::max<std::size_t>(1, adaptive_.limit() / 4));
  return usual_waiting_ < allowed && client.usual_waiting * clients_.size() < allowed && below_share(client);
}

// A costly search counts as many as there are places for each of them.
double Admission::load_of(const Client& client) const {
  const std::size_t of_each = std::max<std::size_t>(1, adaptive_.limit() / std::max<std::size_t>(1, costly_places()));
  return static_cast<double>(client.running + client.costly * (of_each - 1)) / client.weight;
}

Admission::Clients::iterator Admission::known(const Kind& kind) {
  auto at = clients_.find(kind.client);
  if (at == clients_.end()) {
    if (spare_.empty()) {
      at = clients_.try_emplace(kind.client).first;
    } else {
      spare_.key() = kind.client;
      spare_.mapped() = {};
      at = clients_.insert(std::move(spare_)).position;
    }
    weights_ += at->second.weight;
  }
  const std::uint32_t weight = std::max(1u, kind.weight);
  weights_ = weights_ - std::exchange(at->second.weight, weight) + weight;
  return at;
}

void Admission::forget_if_idle(Clients::iterator client) {
  if (client->second.running + client->second.waiting > 0) return;
  weights_ -= client->second.weight;
  if (spare_.empty())
    spare_ = clients_.extract(client);
  else
    clients_.erase(client);
}

void Admission::take(const Kind& kind, Client& client) {
  ++all_;
  batch_ += kind.batch;
  costly_ += kind.costly;
  ++client.running;
  client.costly += kind.costly;
}

bool Admission::try_begin(const Kind& kind, Instant now) {
  const MutexLock lock(mutex_);
  if (all_ == 0) adaptive_.came(now);
  const auto client = known(kind);
  const bool begins = may_begin(kind, client->second);
  if (begins) take(kind, client->second);
  forget_if_idle(client);
  return begins;
}

std::optional<Admission::Ticket> Admission::wait(const Kind& kind, std::function<void()> begin) {
  const MutexLock lock(mutex_);
  const auto at = known(kind);
  Client& client = at->second;
  if (may_begin(kind, client)) {
    take(kind, client);
    return {};
  }
  if (!may_wait(kind, client)) {
    forget_if_idle(at);
    return kRefused;
  }
  ++client.waiting;
  client.costly_waiting += kind.costly;
  client.usual_waiting += is_usual(kind);
  usual_waiting_ += is_usual(kind);
  waiting_.push_back({++last_, kind, std::move(begin), &client});
  return last_;
}

// The client stays known.
void Admission::take_out(std::list<Waiting>::iterator at, std::list<Waiting>& to) {
  Client& client = *at->client;
  --client.waiting;
  client.costly_waiting -= at->kind.costly;
  client.usual_waiting -= is_usual(at->kind);
  usual_waiting_ -= is_usual(at->kind);
  to.splice(to.begin(), waiting_, at);
}

void Admission::leave(Ticket ticket) {
  std::list<Waiting> left;  // destroyed without the lock
  const MutexLock lock(mutex_);
  const auto at =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) { return one.ticket == ticket; });
  if (at == waiting_.end()) return;
  take_out(at, left);
  forget_if_idle(clients_.find(left.front().kind.client));
}

void Admission::end(const Kind& kind, const std::optional<Ended>& ended) {
  {
    const MutexLock lock(mutex_);
    const auto client = clients_.find(kind.client);
    FROND_CHECK(all_ > 0 && batch_ >= kind.batch && costly_ >= kind.costly && client != clients_.end());
    // Costly ones may take long; those that do not tell that there is room.
    if (ended && (!kind.costly || ended->used <= AdaptiveLimit::kAim))
      adaptive_.ended(ended->places, ended->used, ended->now);
    --all_;
    batch_ -= kind.batch;
    costly_ -= kind.costly;
    --client->second.running;
    client->second.costly -= kind.costly;
    forget_if_idle(client);
    if (waiting_.empty() || giving_) return;
    giving_ = true;
  }
  give();
}

Admission::Taken Admission::taken() const {
  const MutexLock lock(mutex_);
  return {all_, batch_, costly_, waiting_.size(), adaptive_.limit(), clients_.size()};
}

// `begin` may end its search at once or wait again, and other threads end theirs meanwhile: only one call is in this
// loop, which looks again after each `begin`.
void Admission::give() {
  while (const auto begin = next_to_begin()) begin();
}

// Takes a place for one that waits and has room: the first of the client with the fewest for its weight. Empty: there
// is none, and giving is over.
std::function<void()> Admission::next_to_begin() {
  const MutexLock lock(mutex_);
  auto next = waiting_.end();
  double least = 0;
  for (auto one = waiting_.begin(); one != waiting_.end(); ++one) {
    const double load = load_of(*one->client);
    if ((next != waiting_.end() && load >= least) || !has_room(one->kind, *one->client)) continue;
    next = one;
    least = load;
  }
  if (next == waiting_.end()) {
    giving_ = false;
    return {};
  }
  std::list<Waiting> taken;
  take_out(next, taken);
  take(taken.front().kind, *taken.front().client);
  return std::move(taken.front().begin);
}

}  // namespace frond::broker::http
