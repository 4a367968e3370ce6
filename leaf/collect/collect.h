#pragma once
// A search of one partition that wants more than the best by score: hits in another order, and counts of all matches.
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/query/facets/facet.h"
#include "common/query/facets/facet_counts.h"
#include "common/query/sort_order.h"
#include "common/schema/schema.h"
#include "leaf/clauses/searched_partition.h"
#include "leaf/collect/facets/facet_collector.h"
#include "leaf/collect/facets/facet_room.h"
#include "leaf/collect/keyword_cache.h"

namespace frond::leaf::collect {

// Of one reply: together far below the max size of a message, so that there is room for what else it has.
inline constexpr std::size_t kMaxRankingSortBytes = 16u << 20;
inline constexpr std::size_t kMaxFacetBytes = 32u << 20;

// The same for all partitions, but for the clauses.
struct Wanted {
  query::SortOrder sort;                     // empty: by score, or by ordinal if nothing is ranked
  std::optional<query::SortPosition> after;  // with `sort`: only hits behind it
  std::size_t max_sort_bytes = kMaxRankingSortBytes;
  std::vector<query::Facet> facets;   // bound to the schema
  FacetClauses clauses = {};          // all that the facets have
  std::size_t max_buckets = 100'000;  // of all facets together
  std::size_t max_facet_bytes = kMaxFacetBytes;

  FacetRoom room() const { return {max_buckets, max_facet_bytes}; }
};

// The k-th best of the partitions of a search so far: what stands behind it is in none of its pages. Any thread.
class SortFloor {
 public:
  std::optional<query::SortPosition> get() const;
  void lower(const query::SortPosition& position);

 private:
  mutable Mutex mutex_;
  std::optional<query::SortPosition> position_ FROND_GUARDED_BY(mutex_);
};

struct Collected {
  engine::Outcome outcome;
  std::vector<std::string> sort_bytes;     // with `sort`: of each hit
  std::vector<query::FacetCounts> facets;  // as Wanted::facets; `matches` is exact then
};

// Matches behind Plan::count_to that cannot be hits may be passed over if there are no facets. `schema`: the
// collection's, whose fields the partition's columns have. `floor` may be null; with one, fewer than k hits may come,
// and of the others that are behind it none. Errors: those of clauses::search(); kInvalid: `after` is no place in this
// order; a facet has more than max_buckets, or its counters would take too much memory; the message names it.
Result<Collected> collect(const clauses::ClausePlan& plan, const Wanted& wanted, const schema::Schema& schema,
                          KeywordCache& keywords, SortFloor* floor, const Clock& clock);

}  // namespace frond::leaf::collect
