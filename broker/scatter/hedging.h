#pragma once
// How much may be asked twice: a hedge helps against one slow leaf, and makes it worse where all are slow. Counts what
// it lets through and what not.
#include <algorithm>
#include <cstdint>

#include "broker/cluster/topology.h"

namespace frond::broker::scatter {

class Hedging {
 public:
  struct Limits {
    double share = 0.05;  // of the searches sent to leaves; 0: none
    std::size_t max_leaf_in_flight = 2048;
  };
  struct Counters {
    std::uint64_t sent = 0, over_budget = 0, overloaded = 0;
  };
  explicit Hedging(Limits limits) : limits_(limits), saved_(limits.share > 0 ? kMaxSaved : 0) {}

  bool enabled() const { return limits_.share > 0; }
  // A search was sent to a leaf: a share of a hedge is saved for later.
  void count_search() { saved_ = std::min(saved_ + limits_.share, kMaxSaved); }
  // Whether `other` is to be asked as well now.
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
  static constexpr double kMaxSaved = 10;  // hedges at once after a calm time
  // Half of what it may be given at a time, or half of its queue.
  bool is_busy(const cluster::LeafNode& leaf) const {
    if (leaf.client->in_flight() * 2 > limits_.max_leaf_in_flight) return true;
    return leaf.said && std::uint64_t{leaf.said->queue_depth} * 2 > leaf.said->queue_limit;
  }

  Limits limits_;
  double saved_;
  Counters counters_;
};

}  // namespace frond::broker::scatter
