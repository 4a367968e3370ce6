#pragma once
// Keeps the topology current: sends a hello to every leaf at an interval, and at once after a failure or when another
// generation is served; counts failures; computes a new topology when anything has changed. Each thread of the broker
// has one, with connections and hellos of its own; used on that thread only, except for ready().
//
// A hello tells the leaf which generation this broker serves from, so that the leaf keeps it, and whether the broker
// needs this leaf. DNS answers may be old and may disagree, so a leaf that is no longer listed is kept as long as it
// answers.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/cluster/timer_queue.h"
#include "broker/cluster/topology.h"
#include "common/base/log.h"
#include "common/base/mutex.h"

namespace frond::broker::cluster {

class ClusterMap {
 public:
  struct Config {
    std::string collection;  // leaves of other collections are not used
    // The broker's other collections, each with a map of its own: a leaf that serves one of them is no failure here.
    std::vector<std::string> other_collections = {};
    // Leaves may also serve any others, or not have this one yet.
    bool any_other = false;
    std::string name;  // this broker's, for people
    // Random, drawn at start, another for each map: leaves take each for a broker. 0: hellos do not describe the
    // broker.
    std::uint64_t instance = 0;
    std::chrono::milliseconds poll{500};
    std::chrono::milliseconds poll_down{200};  // while a leaf is down
    std::chrono::milliseconds hello_timeout{1000};
    unsigned timeouts_to_down = 2;  // hellos in a row without a reply; a lost connection takes a leaf down at once
    // The log repeats why a leaf is down after this many failures in a row, if the reason has changed since the last
    // line, and at most once per interval and leaf.
    unsigned failures_to_log = 5;
    std::chrono::seconds log_interval{30};
    // Called when another generation is served, from inside another call; empty: nothing is.
    std::function<void(const GenerationId&)> on_generation = {};
    std::chrono::seconds forget_unlisted{10};  // an unlisted leaf that was silent for this long is removed
    // Then it is ready if any partition has a leaf: a broker that starts while a shard is away must not stay out of
    // service for as long.
    std::chrono::milliseconds ready_without_all_after{60'000};
  };
  using MakeClient = std::function<Result<std::unique_ptr<LeafClient>>(const std::string& endpoint, News news)>;

  ClusterMap(TimerQueue& timers, Logger& log, Config config, MakeClient make_client);
  ~ClusterMap();
  ClusterMap(const ClusterMap&) = delete;
  ClusterMap& operator=(const ClusterMap&) = delete;

  // Sets the listed leaves, as endpoints (common/net/local_address.h). Leaves listed before keep their connections; a
  // leaf that is no longer listed stays while it answers. kInvalid: an endpoint is not an address; the others are used.
  Result<void> set_leaves(const std::vector<std::string>& endpoints);

  // What to search now; null: no leaf has served anything yet.
  std::shared_ptr<const Topology> topology() const { return topology_; }
  // The same of one generation, which leaves keep for a while when another is served; null: some partition of it has no
  // leaf.
  std::shared_ptr<const Topology> topology_of(const GenerationId& id);
  // Whether a generation that leaves do not serve now may be served later: leaves that had it are down, or a later
  // generation is not known here yet.
  bool may_come(const GenerationId& id) const;
  // The same after a leaf has said that it does not have the generation, though it listed it.
  bool may_come_from_one_that_is_down(const GenerationId& id) const { return is_on_one_that_is_down(leaves_, id); }
  const std::vector<LeafRef>& leaves() const { return leaves_; }
  const std::string& collection() const { return config_.collection; }
  // True once every partition of a generation has had a leaf, or ready_without_all_after has passed, as long as any
  // partition has one: a leaf that fails leaves partitions unsearched, but must not take all brokers out of service.
  // Any thread.
  bool ready() const { return ready_.load(std::memory_order_relaxed); }
  // True once every partition of a generation has had a leaf, or ready_without_all_after has passed, whatever came
  // later. Any thread.
  bool settled() const { return settled_.load(std::memory_order_relaxed); }
  // The generation that is served; 0: none. Any thread.
  Generation serving() const { return serving_.load(std::memory_order_relaxed); }
  // What searches lack, such as "1 of 4 partitions have no leaf", or a leaf that serves another collection; empty:
  // nothing. Any thread.
  std::string lacking() const;

  // Call it when a request failed as kUnavailable: the leaf counts as down until it answers a hello again.
  void report_unavailable(const LeafRef& leaf, const std::string& why);
  // Call it when a reply contradicts what the leaf says it serves: sends a hello now.
  void refresh(const LeafRef& leaf);
  // Call it when another thread serves from generation `id`: sends a hello to every leaf now, unless this map does,
  // too.
  void refresh_unless(const GenerationId& id);

 private:
  Result<LeafRef> make(const std::string& endpoint);
  void poll(const LeafRef& leaf);
  void heard(const LeafRef& leaf, Result<wire::HelloReply> reply);
  void heard_news(const LeafRef& leaf, wire::HelloReply news);
  void take(LeafNode& leaf, wire::HelloReply reply);
  void leave_elsewhere(const LeafRef& leaf, const std::string& collection);
  bool answers(const LeafNode& leaf) const;
  void remove(const LeafRef& leaf);
  void mark_down(const LeafRef& leaf, const std::string& why);
  void log_why_down(LeafNode& leaf);
  wire::HelloRequest hello_to(const LeafRef& leaf) const;
  GenerationId serving_id() const { return topology_ ? topology_->id() : GenerationId{}; }
  // Or that nothing is served yet: then it leaves nothing.
  bool is_told(const LeafNode& leaf) const { return leaf.told.number == 0 || leaf.told == serving_id(); }
  void schedule(const LeafRef& leaf, std::chrono::milliseconds after);
  void redraw();
  void note_misplaced();
  void settle();

  TimerQueue& timers_;
  Logger& log_;
  Config config_;
  MakeClient make_client_;
  std::vector<LeafRef> leaves_;
  std::vector<std::pair<const LeafNode*, TimerQueue::Id>> scheduled_;  // at most one per leaf
  std::shared_ptr<const Topology> topology_;
  std::optional<std::vector<std::shared_ptr<const Topology>>> whole_;  // what leaves list; empty: not asked for yet
  GenerationOrder order_;
  std::atomic<bool> settled_{false}, ready_{false};
  std::atomic<Generation> serving_{0};
  std::atomic<std::size_t> partitions_{0}, covered_{0};  // of topology_, for other threads
  mutable Mutex noting_;
  std::string misplaced_ FROND_GUARDED_BY(noting_);  // of leaves_, for other threads
  TimerQueue::Id patience_;
  std::shared_ptr<ClusterMap*> alive_;  // null inside after our destructor: replies may come later
};

}  // namespace frond::broker::cluster
