#pragma once
// Which leaf can search which partition of which generation: the broker's view of the cluster, computed from the
// leaves' hellos. Pure: no sockets, no clock.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "broker/cluster/leaf_client.h"
#include "common/base/placement.h"
#include "common/schema/schema.h"
#include "common/wire/messages.h"

namespace frond::broker::cluster {

// How long a leaf's latest searches, or fetches, took, so that a broker can tell which one is late. One thread.
class ReplyTimes {
 public:
  static constexpr std::size_t kKept = 128;    // the latest
  static constexpr std::size_t kEnough = 8;    // fewer say nothing
  static constexpr std::size_t kRenewed = 16;  // late_after() follows after so many more

  void add(std::chrono::microseconds took) {
    times_[added_++ % kKept] = took;
    if (added_ == kEnough || added_ % kRenewed == 0) renew();
  }
  // Twice the time that 19 of 20 took at most: about 1 in 100 takes longer on a leaf that is well. None: too few are
  // known.
  std::optional<std::chrono::microseconds> late_after() const { return late_after_; }

 private:
  void renew() {
    auto sorted = times_;
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(added_, kKept));
    const auto place = sorted.begin() + (end - sorted.begin()) * 19 / 20;
    std::nth_element(sorted.begin(), place, end);
    late_after_ = 2 * *place;
  }

  std::array<std::chrono::microseconds, kKept> times_{};
  std::uint64_t added_ = 0;
  std::optional<std::chrono::microseconds> late_after_;
};

// One leaf as the broker sees it. Its loop's thread only.
struct LeafNode {
  std::string endpoint;
  std::unique_ptr<LeafClient> client;
  bool healthy = false;
  unsigned failures = 0;                 // failed hellos in a row
  std::string last_error;                // empty while healthy
  std::string logged_error;              // the last one in the log; empty while healthy
  Instant logged_at{};                   // … and its time
  Instant last_seen{};                   // time of the last good hello
  std::optional<wire::HelloReply> said;  // the last good hello; kept while the leaf is down
  GenerationId told;                     // what the last hello to it named as served
  bool listed = true;                    // false: the last look-up did not list it
  bool misplaced = false;                // it serves a collection that the broker does not have; last_error says which
  bool elsewhere = false;                // it serves another of the broker's collections, and not this one
  // Another replica answered a search first that this one was asked before, and it has not said a word since.
  bool silent = false;
  ReplyTimes usual, costly;  // of its searches that are not costly (common/wire/messages.h), and of those that are
  ReplyTimes fetches;
  // Whether it said that it has `feature` (wire::kFeatureUnranked, …).
  bool has(std::uint64_t feature) const { return said && (said->features & feature) == feature; }
  // The leaf ends soon. `said` keeps the generations that it listed before: the leaf still answers, and is asked for
  // partitions that no other leaf has.
  bool draining() const { return said && said->draining; }
  // Whether it serves this collection, as far as it has said: a leaf that is down has what it listed last.
  bool belongs() const { return !elsewhere && !misplaced; }
};
using LeafRef = std::shared_ptr<LeafNode>;

// One generation and the leaves that were healthy when the topology was computed. Queries in flight keep their topology
// alive; a replica's health is read from its LeafNode, so that older topologies see a failure too.
struct Topology {
  struct Partition {
    Placement placement;            // valid if there are replicas
    std::uint64_t hidden = 0;       // as wire::ServedPartition
    std::vector<LeafRef> replicas;  // empty: no leaf has the partition
  };
  Generation generation = 0;
  ContentId content = 0;  // 0: all of its leaves are older ones, which do not send it
  text::AnalyzerConfig analyzer;
  scoring::Bm25Parameters bm25;
  scoring::CollectionStatistics statistics;
  std::string schema_text;                                          // empty: it has none
  std::shared_ptr<const schema::Schema> schema = without_fields();  // never null
  std::string schema_problem;                                       // why that of the leaves cannot be read
  std::vector<Partition> partitions;                                // all partitions of the generation, by number
  std::size_t covered = 0;                                          // partitions with a replica
  bool whole() const { return covered == partitions.size(); }
  // Whole, also without draining leaves.
  bool stays() const;
  GenerationId id() const { return {generation, content}; }
  // Whether some partition has no other leaf; draining leaves do not count.
  bool needs(const LeafRef& leaf) const;
  static std::shared_ptr<const schema::Schema> without_fields();
  // The partition that holds a document; none: no known partition does.
  std::optional<std::uint32_t> partition_of(Ordinal ordinal) const;
};

// Remembers which generations were superseded by another one. Leaves show the order only while they list both; it is
// lost when they drop the older one. Keeps the latest kMaxKnown.
class GenerationOrder {
 public:
  static constexpr std::size_t kMaxKnown = 64;
  void set_superseded(const GenerationId& id, bool superseded);
  bool is_superseded(const GenerationId& id) const;

 private:
  std::vector<GenerationId> superseded_;  // the latest last
};

// Chooses the generation to serve from what the healthy leaves list; null: they serve none. Generations with the same
// number and different content are different ones. A leaf that sends no content (an older one) counts to the only
// content that the others send, if there is only one.
//
//  1. If some generations have a leaf for every partition: the latest of these. A leaf lists generations in the order
//  in
//     which they became current, its current one last; of two generations the later is the one that every leaf with
//     both lists later. If the leaves disagree, or none has both: first a generation that `order` does not know as
//     superseded, then one that is some leaf's current one, then the higher number. Of generations with one number: the
//     current one of most leaves, then `serving`. So a new generation is taken as soon as every partition has a leaf,
//     and one that was rolled back is left when every leaf has left it. While `serving` is whole without draining
//     leaves, none is taken that is not: a leaf that drains may have heard from all brokers that they do not need it.
//  2. Otherwise the generation with the largest share of its partitions; then `serving`, then the higher number.
//
// A draining leaf is a partition's replica only if no other leaf has the partition.
//
// `order` is updated from the leaves' lists; null: nothing is remembered.
std::shared_ptr<const Topology> draw_topology(std::span<const LeafRef> leaves, const GenerationId& serving,
                                              GenerationOrder* order = nullptr);
// Every generation that has a leaf for each partition, in no order.
std::vector<std::shared_ptr<const Topology>> whole_topologies(std::span<const LeafRef> leaves);
// Whether the generation may have a leaf for each partition again: if leaves that are down have what they listed last,
// or a leaf has not said yet what it has.
bool may_be_whole_again(std::span<const LeafRef> leaves, const GenerationId& id);
// Whether a leaf that is down may have it.
bool is_on_one_that_is_down(std::span<const LeafRef> leaves, const GenerationId& id);

}  // namespace frond::broker::cluster
