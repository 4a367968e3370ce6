#include "broker/http/admission.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace frond::broker::http {

bool Admission::has_room(const Kind& kind, const Client* client) const {
  const std::size_t places = adaptive_.limit();
  const std::size_t of_batch = std::max<std::size_t>(1, limits_.batch * places / limits_.all);
  if (all_ >= places || (kind.batch && batch_ >= of_batch)) return false;
  if (!kind.costly) return true;
  const std::size_t of_costly = places < limits_.all ? std::max<std::size_t>(1, places / 2) : limits_.costly;
  if (costly_ >= std::min(limits_.costly, of_costly)) return false;
  return client == nullptr || client->costly < limits_.costly_per_client;
}

// A free place is not for a client that has its share while others wait for theirs.
bool Admission::may_begin(const Kind& kind, const Client* client) const {
  return has_room(kind, client) &&
         (usual_waiting_ == 0 || !is_usual(kind) || client == nullptr || below_share(*client));
}

bool Admission::below_share(const Client& client) const {
  return (client.running + client.waiting) * weights_ < adaptive_.limit() * client.weight;
}

// A costly search counts as many as there are places for one of them.
double Admission::load_of(const Client& client) const {
  const std::size_t of_costly = limits_.all / std::max<std::size_t>(1, limits_.costly);
  return static_cast<double>(client.running + client.costly * of_costly) / client.weight;
}

Admission::Client& Admission::known(const Kind& kind) {
  const auto [at, is_new] = clients_.try_emplace(kind.client);
  if (is_new) weights_ += at->second.weight = std::max(1u, kind.weight);
  return at->second;
}

void Admission::forget_if_idle(Clients::iterator client) {
  if (client->second.running + client->second.waiting > 0) return;
  weights_ -= client->second.weight;
  clients_.erase(client);
}

void Admission::take(const Kind& kind, Client& client) {
  ++all_;
  batch_ += kind.batch;
  costly_ += kind.costly;
  ++client.running;
  client.costly += kind.costly;
}

bool Admission::try_begin(const Kind& kind) {
  const MutexLock lock(mutex_);
  const auto client = clients_.find(kind.client);
  if (!may_begin(kind, client == clients_.end() ? nullptr : &client->second)) return false;
  take(kind, client == clients_.end() ? known(kind) : client->second);
  return true;
}

std::optional<Admission::Ticket> Admission::wait(const Kind& kind, std::function<void()> begin) {
  const MutexLock lock(mutex_);
  Client& client = known(kind);
  if (may_begin(kind, &client)) {
    take(kind, client);
    return {};
  }
  const bool too_many = is_usual(kind) ? usual_waiting_ >= limits_.waiting || !below_share(client)
                                       : !kind.batch && client.costly_waiting >= limits_.waiting;
  if (too_many) {
    forget_if_idle(clients_.find(kind.client));
    return kRefused;
  }
  ++client.waiting;
  client.costly_waiting += kind.costly;
  usual_waiting_ += is_usual(kind);
  waiting_.push_back({++last_, kind, std::move(begin)});
  return last_;
}

// The client stays known.
void Admission::take_out(std::list<Waiting>::iterator at, std::list<Waiting>& to) {
  Client& client = known(at->kind);
  --client.waiting;
  client.costly_waiting -= at->kind.costly;
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
    const Client& client = known(one->kind);
    const double load = load_of(client);
    if ((next != waiting_.end() && load >= least) || !has_room(one->kind, &client)) continue;
    next = one;
    least = load;
  }
  if (next == waiting_.end()) {
    giving_ = false;
    return {};
  }
  std::list<Waiting> taken;
  take_out(next, taken);
  take(taken.front().kind, known(taken.front().kind));
  return std::move(taken.front().begin);
}

}  // namespace frond::broker::http
