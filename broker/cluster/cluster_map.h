#pragma once
// Keeps the picture of the cluster current: says hello to every leaf at an interval, and at once after a failure;
// counts failures; redraws the topology when anything changed. Broker's thread only.
//
// Each hello tells the leaf which generation this broker serves from, so that it is kept, and whether the broker could
// do without the leaf. Leaves come and go by name (DNS), whose answers may be old and may disagree: a leaf that answers
// is kept though it is not named any more, and goes when it stops.
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/cluster/timer_queue.h"
#include "broker/cluster/topology.h"
#include "common/base/log.h"

namespace frond::broker::cluster {

class ClusterMap {
 public:
  struct Config {
    std::string collection;      // leaves of another one are not used
    std::string name;            // this broker's, for people
    std::uint64_t instance = 0;  // drawn at start; 0: hellos say nothing of the broker
    std::chrono::milliseconds poll{500};
    std::chrono::milliseconds poll_down{200};  // while a leaf is down
    std::chrono::milliseconds hello_timeout{1000};
    unsigned timeouts_to_down = 2;  // hellos without an answer in a row; a lost connection counts at once
    // Why a leaf stays down is told when it has failed that often and the reason is another than was told, and not more
    // often than that.
    unsigned failures_to_tell = 5;
    std::chrono::seconds tell_every{30};
    std::chrono::seconds forget_unlisted{10};  // a leaf that is not named any more and was silent for so long is let go
  };
  using MakeClient = std::function<Result<std::unique_ptr<LeafClient>>(const std::string& endpoint, News news)>;

  ClusterMap(TimerQueue& timers, Logger& log, Config config, MakeClient make_client);
  ~ClusterMap();
  ClusterMap(const ClusterMap&) = delete;
  ClusterMap& operator=(const ClusterMap&) = delete;

  // The leaves there are, as "tcp://host:port"; replaces the former set. Those that stay keep their connections. Of the
  // former set those stay that still answer. kInvalid: an endpoint that is not one; the others are taken.
  Result<void> set_leaves(const std::vector<std::string>& endpoints);

  // What to search now; null while no leaf serves anything.
  std::shared_ptr<const Topology> topology() const { return topology_; }
  const std::vector<LeafRef>& leaves() const { return leaves_; }
  // True from the first time that a whole generation was served, as long as any partition has a leaf: a leaf that dies
  // later degrades answers, and must not take every broker out of service as well.
  bool ready() const { return was_whole_ && topology_ && topology_->covered > 0; }

  // Tells of a request that failed as kUnavailable: the leaf counts as down until it says hello again.
  void report_unavailable(const LeafRef& leaf, const std::string& why);
  // Tells of an answer that does not fit what the leaf said it serves: it is asked again now.
  void refresh(const LeafRef& leaf);

 private:
  struct Polling;
  Result<LeafRef> make(const std::string& endpoint);
  void poll(const LeafRef& leaf);
  void heard(const LeafRef& leaf, Result<wire::HelloReply> reply);
  void told(const LeafRef& leaf, wire::HelloReply news);
  void take(LeafNode& leaf, wire::HelloReply reply);
  bool answers(const LeafNode& leaf) const;
  void let_go(const LeafRef& leaf);
  void mark_down(const LeafRef& leaf, const std::string& why);
  void tell_why_down(LeafNode& leaf);
  wire::HelloRequest hello_to(const LeafRef& leaf) const;
  void schedule(const LeafRef& leaf, std::chrono::milliseconds after);
  void redraw();

  TimerQueue& timers_;
  Logger& log_;
  Config config_;
  MakeClient make_client_;
  std::vector<LeafRef> leaves_;
  std::vector<std::pair<const LeafNode*, TimerQueue::Id>> scheduled_;  // one a leaf at most
  std::shared_ptr<const Topology> topology_;
  GenerationOrder order_;
  bool was_whole_ = false;
  std::shared_ptr<ClusterMap*> alive_;  // null inside once we are gone: replies may come later
};

}  // namespace frond::broker::cluster
