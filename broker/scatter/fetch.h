#pragma once
// The second round trip: id, title, url and snippet of the page's hits, from the leaves that found them. If one fails,
// another replica is asked, once.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/merge/page.h"
#include "broker/scatter/abandonable.h"
#include "broker/scatter/scatter_context.h"

namespace frond::broker::scatter {

struct FetchPlan {
  std::shared_ptr<const cluster::Topology> topology;
  std::vector<std::string> terms;  // for the snippets
  // From which leaf, the ordinals of which hits.
  struct Share {
    cluster::LeafRef leaf;
    std::vector<Ordinal> ordinals;
  };
  std::vector<Share> shares;
};
struct FetchResult {
  std::vector<wire::FetchedDocument> documents;  // in no order
  std::vector<merge::Degraded> missing;          // partitions of which some hit could not be fetched; by partition
};

// `done` is called once, by the deadline; before fetch() returns if there is nothing to fetch.
std::shared_ptr<Abandonable> fetch(ScatterContext& context, FetchPlan plan, Deadline deadline,
                                   std::function<void(FetchResult)> done);

}  // namespace frond::broker::scatter
