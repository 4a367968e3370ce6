#pragma once
// Requests that wait until what was accepted is searched: any number at a time, none of them on a thread that changes
// need. Those of one index share what the service is asked.
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "broker/elasticsearch/error.h"
#include "common/base/mutex.h"

namespace frond::broker::elasticsearch {

struct Targets;

// Thread-safe. Outlived by the change forwarder's threads' work, which holds it.
class Refreshes {
 public:
  // By index: what became of it.
  using Done = std::function<void(const std::map<std::string, Expected<void>>&)>;
  // `done` is called once: here, if there are no indices, else on a thread of the forwarder's for refreshes, when all
  // that was accepted before this call is searched by all threads of this broker, or can't be.
  static void wait(const Targets& to, const std::set<std::string>& indices, Done done);

 private:
  using One = std::function<void(const Expected<void>&)>;
  void add(const Targets& to, const std::string& index, One done);
  void run(const Targets& to, const std::string& index, const std::string& name);

  Mutex mutex_;
  // By index and Authorization: those that wait for the next round. There is an entry as long as rounds go on.
  std::map<std::string, std::vector<One>> waiting_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::broker::elasticsearch
