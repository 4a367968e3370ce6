#include "broker/elasticsearch/refreshes.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <utility>

#include "broker/elasticsearch/index_admin.h"

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
    const auto [waiting, first] = waiting_.try_emplace(name);
    waiting->second.next.push_back({std::move(done), Clock::now() + kPatience});
    if (!first) return;  // the next round has it
  }
  to.service->refresh_later([to, index, name] { to.refreshes->run(to, index, name); });
}

void Refreshes::run(const Targets& to, const std::string& index, const std::string& name) {
  const auto begin = [&] {
    const MutexLock lock(mutex_);
    const auto waiting = waiting_.find(name);
    waiting->second.now.swap(waiting->second.next);
    if (!waiting->second.now.empty()) return true;
    waiting_.erase(waiting);
    return false;
  };
  if (!begin()) return;
  const Expected<void> outcome = [&]() -> Expected<void> {
    try {
      return refresh_index(to, index);
    } catch (const std::exception& thrown) {
      return internal_error(thrown);
    }
  }();
  Waiters answered;
  bool again = false;
  {
    const MutexLock lock(mutex_);
    const auto waiting = waiting_.find(name);
    answered.swap(waiting->second.now);
    again = !waiting->second.next.empty();
    if (!again) waiting_.erase(waiting);
  }
  answer(answered, outcome);
  if (again) to.service->refresh_later([to, index, name] { to.refreshes->run(to, index, name); });
}

void Refreshes::expire() {
  Waiters late;
  {
    const MutexLock lock(mutex_);
    for (auto& [name, rounds] : waiting_)
      for (Waiters* const waiters : {&rounds.now, &rounds.next}) {  // each in the order of their coming
        const auto end =
            std::ranges::find_if(*waiters, [now = Clock::now()](const Waiter& one) { return one.until > now; });
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
