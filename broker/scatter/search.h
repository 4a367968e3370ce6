#pragma once
// A whole search: fan out, merge, fetch, page. Failures appear as the page's `unsearched` partitions; there is no other
// error.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/merge/merge.h"
#include "broker/scatter/scatter_context.h"

namespace frond::broker::scatter {

struct SearchPlan {
  std::shared_ptr<const cluster::Topology> topology;
  // The caller sets terms or clause, filter, mode, rank, bm25, prior_weight, exact_total, sort, after, facets, near,
  // processor and profile; search() sets the rest.
  wire::SearchRequest request;
  std::uint32_t k = 10;  // 1..1000; with Rank::kNone also 0: only the total
  std::uint32_t offset = 0;
  std::uint8_t fields = wire::kAllFields;       // of the hits, beside the id (wire::kFieldTitle, …)
  std::vector<std::string> columns = {};        // of the hits, as wire::Show has them
  bool explain = false;                         // their scores, if they are ranked by these
  std::vector<std::string> snippet_terms = {};  // of a clause; without one they are `terms`
  merge::Arrangement arrangement = {};          // what request.sort and request.facets say
  std::uint32_t facets_apart = 0;  // not 0: the page has what is counted, up to this part of the memory for it
};

// What of a search's time is reserved for the second round trip; usually there is none (ShownAhead). A search that no
// leaf answers ends so much before its deadline.
constexpr std::chrono::microseconds reserved_of(std::chrono::microseconds time) {
  return std::min<std::chrono::microseconds>(time / 10, std::chrono::milliseconds(100));
}

// `done` is called once, at the latest when the deadline passes, possibly before search() returns.
// The loop's thread; `context` outlives the search.
std::shared_ptr<Abandonable> search(ScatterContext& context, SearchPlan plan, Deadline deadline,
                                    std::function<void(merge::Page)> done);

}  // namespace frond::broker::scatter
