#pragma once
// Which leaf can search which partition of which generation: the broker's picture of the cluster, made from the leaves'
// hellos. Pure: no sockets, no time.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "broker/cluster/leaf_client.h"
#include "common/base/placement.h"
#include "common/wire/messages.h"

namespace frond::broker::cluster {

// One leaf as the broker sees it. Broker's thread only.
struct LeafNode {
  std::string endpoint;
  std::unique_ptr<LeafClient> client;
  bool healthy = false;
  unsigned failures = 0;                 // hellos in a row
  std::string last_error;                // empty while healthy
  std::string told_error;                // the last one in the log; empty while healthy
  Instant told_at{};                     // … and when
  Instant last_seen{};                   // of the last good hello
  std::optional<wire::HelloReply> said;  // the last good hello; kept while the leaf is down
  bool listed = true;                    // false: the last look-up did not name it any more
  // It ends soon. `said` keeps the generations that it told of before: it still answers, where nobody else can.
  bool draining() const { return said && said->draining; }
};
using LeafRef = std::shared_ptr<LeafNode>;

// One generation and the leaves that were healthy when it was drawn. Queries in flight keep theirs alive; a replica's
// health is read from the LeafNode itself, so that a failure is seen by older topologies too.
struct Topology {
  struct Partition {
    Placement placement;            // valid if it has replicas
    std::vector<LeafRef> replicas;  // empty: no leaf has it
  };
  Generation generation = 0;
  ContentId content = 0;  // 0: its leaves are all of before, and do not say
  text::AnalyzerConfig analyzer;
  scoring::Bm25Parameters bm25;
  scoring::CollectionStatistics statistics;
  std::vector<Partition> partitions;  // by number; all of the generation's
  std::size_t covered = 0;            // partitions with a replica
  bool whole() const { return covered == partitions.size(); }
  GenerationId id() const { return {generation, content}; }
  // Whether it would lack a partition without this leaf, those that drain not counted.
  bool needs(const LeafRef& leaf) const;
  // The partition that holds a document, if any that we know of does.
  std::optional<std::uint32_t> partition_of(Ordinal ordinal) const;
};

// Which generations came before another one, as leaves told it while they had both: once they have let go of the older
// one, nobody else knows. The latest kMaxKnown.
class GenerationOrder {
 public:
  static constexpr std::size_t kMaxKnown = 64;
  void set_superseded(const GenerationId& id, bool superseded);
  bool is_superseded(const GenerationId& id) const;

 private:
  std::vector<GenerationId> superseded_;  // the latest last
};

// Chooses the generation to serve, from the leaves that are healthy; null when they serve none. Leaves that tell of
// other content under the same number are of another generation; one that does not tell its content (a leaf of before)
// is of the only content that others tell, if there is only one.
//
//  1. Of those whose every partition has a leaf: the one that came last. Leaves list what they serve in the order in
//     which it became current; so the one that all leaves which have both list behind the other. Where they disagree,
//     or none has both: not one that `order` knows to be superseded; then what some leaf calls its current one (lists
//     last) before others, then the higher number. So a generation under way is taken as soon as it is whole, and one
//     rolled back is left once every leaf has left it. Of one number: what most leaves call current; then `serving`.
//  2. None whole: the one with the largest share of its partitions; `serving` before others, then the higher number.
//
// A leaf that drains counts where nobody else has the partition.
//
// `order` learns from what is told; null: nothing was told before.
std::shared_ptr<const Topology> draw_topology(std::span<const LeafRef> leaves, const GenerationId& serving,
                                              GenerationOrder* order = nullptr);

}  // namespace frond::broker::cluster
