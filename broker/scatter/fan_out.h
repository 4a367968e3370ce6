#pragma once
// The first round trip of a search: one request for every partition of a generation, with failover and hedging.
//
// Each partition is asked of one replica. If the replica fails for another reason than time, its partitions go to other
// replicas, once. If it takes clearly longer than its latest searches, or those of another replica that has all of its
// partitions (at most half of the time that is left), that replica is asked as well as soon as Hedging allows it; the
// first reply that searched them all wins, and the other request is cancelled. Each partition's hits come from exactly
// one reply: a reply is used for a whole group of partitions or not at all, and hits of partitions that it calls
// unsearched are removed.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/merge/merge.h"
#include "broker/scatter/scatter_context.h"

namespace frond::broker::scatter {

struct LeafAnswer {
  cluster::LeafRef leaf;
  std::vector<std::uint32_t> partitions;  // searched by this reply
  wire::SearchReply reply;
  std::uint64_t round_trip_us = 0, sent_us = 0;  // sent so long after the fan-out's begin
};
struct FanOutResult {
  std::vector<LeafAnswer> answers;
  std::vector<wire::UnsearchedPartition> unsearched;  // ordered by partition
  std::string refusal;                                // merge::Page::refusal
};

// `request` needs no request_id, budget or partitions. `done` is called once, at the latest when the deadline passes,
// and before fan_out() returns if no leaf can be asked. The loop's thread; `context` outlives the fan-out.
// `arrangement`: what request.sort and request.facets say; of facets at most `max_facet_bytes` are kept.
std::shared_ptr<Abandonable> fan_out(ScatterContext& context, std::shared_ptr<const cluster::Topology> topology,
                                     wire::SearchRequest request, merge::Arrangement arrangement,
                                     std::size_t max_facet_bytes, Deadline deadline,
                                     std::function<void(FanOutResult)> done);

}  // namespace frond::broker::scatter
