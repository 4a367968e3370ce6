#pragma once
// What every search uses and counts. One object for each of the broker's threads, used on that thread only.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "broker/cluster/cluster_map.h"
#include "broker/cluster/timer_queue.h"
#include "broker/cluster/topology.h"

namespace frond::broker::scatter {

struct ScatterContext;

// Chooses the replicas to ask: for each partition the healthy leaf with the fewest requests in flight, and one that is
// silent (LeafNode) only if all are; among equals one that the same query asks anyway (fewer messages), then each in
// turn. Pure functions.
struct LeafShare {
  cluster::LeafRef leaf;
  std::vector<std::uint32_t> partitions;
};
struct Assignment {
  std::vector<LeafShare> shares;
  std::vector<std::uint32_t> unsearched;  // partitions without a healthy leaf outside `tried`
};
// `turn` rotates the choice among equals from call to call.
Assignment assign(const cluster::Topology& topology, std::span<const std::uint32_t> partitions,
                  std::span<const cluster::LeafRef> tried, std::size_t turn);
// The same for a request with `features` (wire::features_needed) that began with `begun`: partitions of which all its
// leaves are tried or gone go to leaves that came with the generation since then.
Assignment assign_now(ScatterContext& context, const cluster::Topology& begun,
                      std::span<const std::uint32_t> partitions, std::span<const cluster::LeafRef> tried,
                      std::uint64_t features);
// A leaf without the features (wire::features_needed) that has a partition which no leaf with them has: its endpoint.
// None: the search can be answered, or a partition has no leaf at all.
std::optional<std::string> too_old_for(const cluster::Topology& topology, std::uint64_t features);
// The leaves without the features, to be left out.
std::vector<cluster::LeafRef> left_out_for(const cluster::Topology& topology, std::uint64_t features);
// A healthy leaf outside `tried` that has all of `partitions`, by silence and requests in flight as assign() has it;
// null if none.
cluster::LeafRef one_for_all(const cluster::Topology& topology, std::span<const std::uint32_t> partitions,
                             std::span<const cluster::LeafRef> tried);

// Limits hedges (the same request, search or fetch, to a second replica): a hedge helps against one slow leaf, but adds
// load where all are slow. Counts the hedges it allows and withholds.
class Hedging {
 public:
  struct Limits {
    double share = 0.05;  // hedges per search or fetch sent to a leaf; 0: no hedges
    std::size_t max_leaf_in_flight = 2048;
  };
  struct Counters {
    std::uint64_t sent = 0, over_budget = 0, overloaded = 0;
  };
  explicit Hedging(Limits limits) : limits_(limits), saved_(limits.share > 0 ? kMaxSaved : 0) {}

  bool enabled() const { return limits_.share > 0; }
  // Call for each search and fetch sent to a leaf first: it adds `share` of a hedge to the budget.
  void count_search() { saved_ = std::min(saved_ + limits_.share, kMaxSaved); }
  // Whether to ask `other` as well now; takes one hedge from the budget, unless the leaf that was asked first is silent
  // (LeafNode): then the searches that it has are moved, and no others come to it. `again`: it was withheld before, and
  // is counted.
  bool allow(const cluster::LeafNode& other, bool first_is_silent, bool again) {
    if (is_busy(other)) {
      counters_.overloaded += again ? 0 : 1;
      return false;
    }
    if (saved_ < 1 && !first_is_silent) {
      counters_.over_budget += again ? 0 : 1;
      return false;
    }
    if (!first_is_silent) saved_ -= 1;
    ++counters_.sent;
    return true;
  }
  const Counters& counters() const { return counters_; }

 private:
  static constexpr double kMaxSaved = 10;  // hedges that the budget can hold
  // More than half of its in-flight limit, or of its queue, is in use.
  bool is_busy(const cluster::LeafNode& leaf) const {
    if (leaf.client->in_flight() * 2 > limits_.max_leaf_in_flight) return true;
    return leaf.said && std::uint64_t{leaf.said->queue_depth} * 2 > leaf.said->queue_limit;
  }

  Limits limits_;
  double saved_;
  Counters counters_;
};

// How many of its best hits a leaf that has a part of the collection sends with the ids and titles that the page shows,
// so that most searches need no second round trip. With hits spread evenly, a leaf with the share p of the partitions
// has p * k of a page's k hits, give or take sqrt(k * p * (1 - p)). The margin above that is as wide as the last pages
// needed: it grows when a hit's document was missing, and shrinks while none is, so that about one page in fifty has to
// fetch some, also where a query's hits lie in one partition.
class ShownAhead {
 public:
  std::uint32_t hits(std::uint32_t k, double share) const;
  // What a page of several leaves found: all of its documents came with the rankings, or not.
  void learn(bool all) { margin_ = std::clamp(margin_ + (all ? -kStep : 50 * kStep), 0.0, kMost); }

 private:
  static constexpr double kStep = 0.005, kMost = 8;
  double margin_ = 2;
};

// Work under way whose caller may give it up before it is done. Its loop's thread only.
class Abandonable {
 public:
  virtual ~Abandonable() = default;
  // Gives the work up: `done` is destroyed without being called, and open requests to leaves are cancelled. Does
  // nothing once `done` was called.
  virtual void abandon() = 0;
};

struct ScatterCounters {
  std::uint64_t search_requests = 0, fetch_requests = 0;  // sent to leaves
  std::uint64_t search_failures = 0, fetch_failures = 0;  // unavailable, late, corrupt, overloaded
  std::uint64_t failovers = 0;                            // requests to another replica after a failure
};

struct ScatterContext {
  cluster::ClusterMap& map;
  cluster::TimerQueue& timers;
  Hedging hedging{Hedging::Limits{}};
  ScatterCounters counters{};
  ShownAhead ahead{};
  std::size_t turn = 0;  // rotates the choice among equal replicas
};

inline constexpr std::chrono::microseconds kFirstHedge{250'000};  // a leaf whose times are not known; not if costly

// When to ask a second replica of `partitions`: the first, the last of `tried`, is late by then, by its own times or by
// those of the other. None: there is no other outside `tried`, hedges are off, or too little time is left. `unknown`:
// where there are no times.
std::optional<std::chrono::microseconds> hedge_after(ScatterContext& context, Deadline deadline,
                                                     std::span<const std::uint32_t> partitions,
                                                     std::span<const cluster::LeafRef> tried,
                                                     const cluster::Topology& topology,
                                                     cluster::ReplyTimes cluster::LeafNode::*times,
                                                     std::chrono::microseconds unknown);

// The reason for the partitions of a request that LeafClient has answered with `code`. As wire::reason_of(), except
// that kNotFound is kUnknownGeneration: LeafClient returns it for that reason only. The broker then asks the leaf again
// which generations it serves.
wire::UnsearchedReason reason_of(Code code);
// Sorts by partition; of several entries of one the first stays.
void put_in_order(std::vector<wire::UnsearchedPartition>& unsearched);

}  // namespace frond::broker::scatter
