#pragma once
// One search, whole: fan out, merge, fetch, page. What failed is in the page's `degraded`; there is no other error.
#include <functional>
#include <memory>

#include "broker/merge/page.h"
#include "broker/scatter/abandonable.h"
#include "broker/scatter/scatter_context.h"

namespace frond::broker::scatter {

struct SearchPlan {
  std::shared_ptr<const cluster::Topology> topology;
  // terms, mode, processor, profile; generation, depth and auto_needs are filled in from here.
  wire::SearchRequest request;
  std::uint32_t k = 10;  // 1..1000
  std::uint32_t offset = 0;
};

// `done` is called once, by the deadline; perhaps before search() returns. A tenth of the time (at most 100 ms) is kept
// for the second round trip. Broker's thread; `context` outlives the search.
std::shared_ptr<Abandonable> search(ScatterContext& context, SearchPlan plan, Deadline deadline,
                                    std::function<void(merge::Page)> done);

}  // namespace frond::broker::scatter
