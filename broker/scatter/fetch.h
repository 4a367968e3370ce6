#pragma once
// The second round trip of a search: the ids and the wanted fields of the page's hits, from the leaves that found them.
// A leaf that has all partitions usually sends these with the ranking; then there is no second trip. If a leaf fails,
// another replica is asked, once.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/merge/merge.h"
#include "broker/scatter/scatter_context.h"

namespace frond::broker::scatter {

struct FetchPlan {
  std::shared_ptr<const cluster::Topology> topology;
  std::vector<std::string> terms;  // for the snippets; empty if none are wanted
  // The hits to fetch from one leaf.
  struct Share {
    cluster::LeafRef leaf;
    std::vector<Ordinal> ordinals;
  };
  std::vector<Share> shares;
  std::uint8_t fields = wire::kAllFields;  // beside the id (wire::kFieldTitle, …)
  std::vector<std::string> columns =
      {};  // as wire::FetchRequest has them; leaves without kFeatureClauses are not asked
  std::shared_ptr<const wire::SearchRequest> explain = nullptr;  // likewise; any leaf is asked
};
struct FetchResult {
  std::vector<wire::FetchedDocument> documents;       // in no particular order
  std::vector<wire::UnsearchedPartition> unsearched;  // a hit of these could not be fetched; ordered by partition
};

// `done` is called once, at the latest when the deadline passes, and before fetch() returns if there is nothing to
// fetch. The loop's thread; `context` outlives the fetch.
std::shared_ptr<Abandonable> fetch(ScatterContext& context, FetchPlan plan, Deadline deadline,
                                   std::function<void(FetchResult)> done);

// Finds a document by its external id. Any partition may have it, so one leaf is asked for each; if a leaf fails,
// another replica of its partitions, once. The first one that has the document ends the look-up.
struct LookUpResult {
  std::optional<wire::FetchedDocument> document;
  std::vector<wire::UnsearchedPartition> unsearched;  // without a document: partitions that may have it, in order
};

// `body_bytes`: what is wanted of its body; older leaves send more. `done` is called once, at the latest when the
// deadline passes; possibly before look_up() returns. The loop's thread; `context` outlives the look-up. Leaves without
// wire::kFeatureById are not asked.
std::shared_ptr<Abandonable> look_up(ScatterContext& context, std::shared_ptr<const cluster::Topology> topology,
                                     std::string id, std::uint32_t body_bytes, Deadline deadline,
                                     std::function<void(LookUpResult)> done);

}  // namespace frond::broker::scatter
