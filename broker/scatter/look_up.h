#pragma once
// Finds a document by its external id. Any partition may have it, so one leaf is asked for each; if a leaf fails,
// another replica of its partitions, once. The first one that has the document ends the look-up.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/scatter/abandonable.h"
#include "broker/scatter/scatter_context.h"

namespace frond::broker::scatter {

struct LookUpResult {
  std::optional<wire::FetchedDocument> document;
  std::vector<wire::UnsearchedPartition> unsearched;  // without a document: partitions that may have it
};

// `body_bytes`: what is wanted of its body; older leaves send more. `done` is called once, at the latest when the
// deadline passes; possibly before look_up() returns. The loop's thread; `context` outlives the look-up. Leaves without
// wire::kFeatureById are not asked.
std::shared_ptr<Abandonable> look_up(ScatterContext& context, std::shared_ptr<const cluster::Topology> topology,
                                     std::string id, std::uint32_t body_bytes, Deadline deadline,
                                     std::function<void(LookUpResult)> done);

}  // namespace frond::broker::scatter
