#pragma once
// Limits hedges (the same request to a second replica): a hedge helps against one slow leaf, but adds load where all
// are slow. Counts the hedges it allows and withholds.
#include <algorithm>
#include <cstdint>

#include "broker/cluster/topology.h"

namespace frond::broker::scatter {

class Hedging {
 public:
  struct Limits {
    double share = 0.05;  // hedges per search sent to a leaf; 0: no hedges
    std::size_t max_leaf_in_flight = 2048;
  };
  struct Counters {
    std::uint64_t sent = 0, over_budget = 0, overloaded = 0;
  };
  explicit Hedging(Limits limits) : limits_(limits), saved_(limits.share > 0 ? kMaxSaved : 0) {}

  bool enabled() const { return limits_.share > 0; }
  // Call for each search sent to a leaf: it adds `share` of a hedge to the budget.
  void count_search() { saved_ = std::min(saved_ + limits_.share, kMaxSaved); }
  // Whether to ask `other` as well now; takes one hedge from the budget.
  bool allow(const cluster::LeafNode& other) {
    if (is_busy(other)) {
      ++counters_.overloaded;
      return false;
    }
    if (saved_ < 1) {
      ++counters_.over_budget;
      return false;
    }
    saved_ -= 1;
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

}  // namespace frond::broker::scatter
