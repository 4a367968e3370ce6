#pragma once
// The requests of one leaf client that have no reply yet, each with its callback and a timer at its deadline. Its
// loop's thread only.
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "broker/cluster/leaf_client.h"
#include "broker/cluster/leaf_loads.h"
#include "broker/cluster/timer_queue.h"

namespace frond::broker::cluster {

using AnyDone = std::variant<Done<wire::SearchReply>, Done<wire::FetchReply>, Done<wire::HelloReply>>;
inline bool is_hello(const AnyDone& done) { return std::holds_alternative<Done<wire::HelloReply>>(done); }
// Calls `done` with an error.
void fail(const AnyDone& done, const Error& error);

class OpenRequests {
 public:
  // Called when a request's deadline passes; the request is not open any more.
  using Expired = std::function<void(RequestId, const AnyDone&)>;

  // Open requests are counted in `load`, too.
  OpenRequests(TimerQueue& timers, std::shared_ptr<LeafLoad> load, Expired expired)
      : timers_(timers), load_(std::move(load)), expired_(std::move(expired)) {}
  ~OpenRequests();
  OpenRequests(const OpenRequests&) = delete;
  OpenRequests& operator=(const OpenRequests&) = delete;

  // `id` is not open.
  void add(RequestId id, AnyDone done, Deadline deadline);
  // The request is not open any more; none: it was not.
  std::optional<AnyDone> take(RequestId id);
  // Calls the `done` of every open request with an error; none is open any more when the first is called.
  void fail_all(const Error& error);

  std::size_t size() const { return open_.size(); }
  std::size_t hellos() const { return hellos_; }
  const LeafLoad& load() const { return *load_; }

 private:
  struct Open {
    AnyDone done;
    TimerQueue::Id timer;
  };

  void count(const AnyDone& done, std::size_t change);

  TimerQueue& timers_;
  const std::shared_ptr<LeafLoad> load_;
  const Expired expired_;
  std::unordered_map<RequestId, Open> open_;
  std::size_t hellos_ = 0;
};

}  // namespace frond::broker::cluster
