#include "broker/elasticsearch/refreshes.h"

#include <exception>
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
  const std::string name = index + "\n" + to.authorization.value_or("");
  {
    const MutexLock lock(mutex_);
    const auto [waiting, first] = waiting_.try_emplace(name);
    waiting->second.push_back(std::move(done));
    if (!first) return;  // the next round has it
  }
  to.service->refresh_later([to, index, name] { to.refreshes->run(to, index, name); });
}

void Refreshes::run(const Targets& to, const std::string& index, const std::string& name) {
  for (;;) {
    std::vector<One> round;
    {
      const MutexLock lock(mutex_);
      const auto waiting = waiting_.find(name);
      if (waiting->second.empty()) {
        waiting_.erase(waiting);
        return;
      }
      round.swap(waiting->second);
    }
    const Expected<void> outcome = [&]() -> Expected<void> {
      try {
        return refresh_index(to, index);
      } catch (const std::exception& thrown) {
        return internal_error(thrown);
      }
    }();
    for (const One& done : round) try {
        done(outcome);
      } catch (const std::exception&) {  // out of memory: its request is answered 500, as its responder goes
      }
  }
}

}  // namespace frond::broker::elasticsearch
