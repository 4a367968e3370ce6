#pragma once
// Requests that wait until what was accepted is searched: any number at a time, none of them on a thread that changes
// need. Those of one index share what the service is asked.
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "broker/elasticsearch/error.h"
#include "common/base/mutex.h"
#include "common/http/message.h"

namespace frond::broker::elasticsearch {

struct Targets;

// Thread-safe. Outlives the change forwarder.
class Refreshes {
 public:
  // By index: what became of it.
  using Done = std::function<void(const std::map<std::string, Expected<void>>&)>;
  // `done` is called once: here, if there are no indices, else on a thread of the forwarder's for refreshes, when all
  // that was accepted before this call is searched by all threads of this broker, or can't be, or in expire().
  static void wait(const Targets& to, const std::set<std::string>& indices, Done done);
  // Answers 503 to those that have waited for longer than kPatience. Called often.
  void expire();

 private:
  using One = std::function<void(const Expected<void>&)>;
  using Clock = std::chrono::steady_clock;
  // 30 s for its turn, and what the service and this broker's threads may take.
  static constexpr std::chrono::seconds kPatience{30 + 60 + 30};
  using ClientId = frond::http::ClientId;
  struct Waiter {
    One done;
    Clock::time_point until;
    ClientId client;
  };
  using Waiters = std::vector<Waiter>;
  struct Rounds {
    Waiters now, next;
    bool running = false;
    std::set<ClientId> turns = {};  // of clients that wait for theirs: the first one that comes begins a round for all
    bool idle() const { return !running && next.empty() && turns.empty(); }
  };
  void add(const Targets& to, const std::string& index, One done);
  void take_turn(Targets to, const ClientId& client, const std::string& index, const std::string& name);
  // One round, if one is needed; whoever comes meanwhile waits for a turn of its own.
  void run(const Targets& to, const std::string& index, const std::string& name);
  static void answer(const Waiters& waiters, const Expected<void>& outcome);

  Mutex mutex_;
  // By index and Authorization.
  std::map<std::string, Rounds> waiting_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::broker::elasticsearch
