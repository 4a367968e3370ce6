#include "broker/elasticsearch/indices/refreshes.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <utility>

#include "broker/elasticsearch/indices/index_admin.h"

namespace frond::broker::elasticsearch {

void Refreshes::wait(const Targets& to, const std::set<std::string>& indices, Done done) {
  struct All {
    Mutex mutex;
    std::map<std::string, Expected<void>> outcomes FROND_GUARDED_BY(mutex);
    std::size_t missing;
    Done done;
  };
  if (indices.empty()) return done({});
  const auto all = std::make_shared<All>();
  all->missing = indices.size();
  all->done = std::move(done);
  for (const std::string& index : indices)
    to.refreshes->add(to, index, [all, index](const Expected<void>& outcome) {
      const MutexLock lock(all->mutex);
      all->outcomes.emplace(index, outcome);
      if (--all->missing == 0) all->done(all->outcomes);
    });
}

void Refreshes::add(const Targets& to, const std::string& index, One done) {
  // Without an Authorization the broker's own key is sent; with an empty one, none.
  const std::string name = index + (to.authorization ? "\n" + *to.authorization : "");
  {
    const MutexLock lock(mutex_);
    Rounds& rounds = waiting_[name];
    rounds.next.push_back({std::move(done), Clock::now() + kPatience, to.client});
    if (rounds.running || !rounds.turns.insert(to.client).second) return;
  }
  take_turn(to, to.client, index, name);
}

void Refreshes::take_turn(Targets to, const ClientId& client, const std::string& index, const std::string& name) {
  to.client = client;
  to.service->refresh_later(client, [to, index, name] { to.refreshes->run(to, index, name); });
}

void Refreshes::run(const Targets& to, const std::string& index, const std::string& name) {
  {
    const MutexLock lock(mutex_);
    const auto waiting = waiting_.find(name);
    if (waiting == waiting_.end()) return;
    Rounds& rounds = waiting->second;
    rounds.turns.erase(to.client);
    if (rounds.running || rounds.next.empty()) {  // another client's turn has come before
      if (rounds.idle()) waiting_.erase(waiting);
      return;
    }
    rounds.running = true;
    rounds.now.swap(rounds.next);
  }
  const Expected<void> outcome = [&]() -> Expected<void> {
    try {
      return refresh_index(to, index);
    } catch (const std::exception& thrown) {
      return internal_error(thrown);
    }
  }();
  Waiters answered;
  std::vector<ClientId> clients;  // of the next round
  {
    const MutexLock lock(mutex_);
    const auto waiting = waiting_.find(name);
    Rounds& rounds = waiting->second;
    rounds.running = false;
    answered.swap(rounds.now);
    for (const Waiter& one : rounds.next)
      if (rounds.turns.insert(one.client).second) clients.push_back(one.client);
    if (rounds.idle()) waiting_.erase(waiting);
  }
  answer(answered, outcome);
  for (const ClientId& client : clients) take_turn(to, client, index, name);
}

void Refreshes::expire() {
  Waiters late;
  {
    const MutexLock lock(mutex_);
    for (auto& [name, rounds] : waiting_)
      for (Waiters* const waiters : {&rounds.now, &rounds.next}) {  // each in the order of their coming
        const auto end =
            std::ranges::find_if(*waiters, [now = Clock::now()](const Waiter& one) { return one.until > now; });
        // Their turn may be lost, so whoever comes gets another one.
        for (auto one = waiters->begin(); one != end; ++one) rounds.turns.erase(one->client);
        late.insert(late.end(), std::make_move_iterator(waiters->begin()), std::make_move_iterator(end));
        waiters->erase(waiters->begin(), end);
      }
  }
  answer(late, unavailable("the refresh took more than " + std::to_string(kPatience.count()) + " s"));
}

void Refreshes::answer(const Waiters& waiters, const Expected<void>& outcome) {
  for (const Waiter& one : waiters) try {
      one.done(outcome);
    } catch (const std::exception&) {  // out of memory: its request is answered 500, as its responder goes
    }
}

}  // namespace frond::broker::elasticsearch
