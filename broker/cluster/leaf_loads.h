#pragma once
// The requests that each leaf has not answered yet, of all threads of the broker: each thread has a client of its own
// for a leaf, and their limit and the choice of replicas are about all of them. Thread-safe.
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "common/base/mutex.h"

namespace frond::broker::cluster {

struct LeafLoad {
  std::atomic<std::size_t> searches_and_fetches{0}, hellos{0};
  std::size_t all() const { return searches_and_fetches + hellos; }
};

class LeafLoads {
 public:
  // The one object for all clients of "tcp://host:port".
  std::shared_ptr<LeafLoad> of(const std::string& endpoint) {
    const MutexLock lock(mutex_);
    std::erase_if(loads_, [](const auto& load) { return load.second.expired(); });
    auto& known = loads_[endpoint];
    auto load = known.lock();
    if (!load) known = load = std::make_shared<LeafLoad>();
    return load;
  }

 private:
  Mutex mutex_;
  std::map<std::string, std::weak_ptr<LeafLoad>> loads_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::broker::cluster
