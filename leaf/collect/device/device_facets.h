#pragma once
// Facets of which a device counts what matches have: which codes it is given of a partition's columns (column_codes.h),
// and what its counts say.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/deadline.h"
#include "common/query/facets/facet.h"
#include "common/query/facets/facet_counts.h"
#include "common/schema/schema.h"
#include "leaf/clauses/searched_partition.h"
#include "leaf/collect/facets/facet_room.h"
#include "leaf/collect/keyword_cache.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::collect {

// One thread at a time. Borrows facets and columns.
class DeviceFacets {
 public:
  // For the partition of this ListKey::partition. Nothing: the CPU must count, because values are too many or lie too
  // far apart (but for ranges and statistics), because a document may have several in one bucket, because no document
  // has a value, or because keywords are not numbered in time.
  static std::optional<DeviceFacets> make(const std::vector<query::Facet>& facets, const schema::Schema& schema,
                                          const clauses::SearchedPartition& searched, std::uint64_t partition,
                                          KeywordCache& keywords, const Deadline& deadline, const Clock& clock);
  // For Plan::counted.
  const std::vector<engine::CountedCodes>& codes() const { return codes_; }
  // By facet. `outcome` has the counts of codes(). kInvalid: there is not room for all.
  Result<std::vector<query::FacetCounts>> counts(const engine::Outcome& outcome, FacetRoom room) const;

 private:
  struct Counted {
    const query::Facet* facet = nullptr;
    const partition::ValueColumn* column = nullptr;  // null: no document has a value
    KeywordCache::Numbers words;                     // of a column of keywords
    std::size_t codes = 0;                           // place in codes_
    bool by_bounds = false;                          // counters are of ranges
    bool summed = false;                             // counters are engine::CodeSums
  };
  bool add(Counted& counted);
  static Result<void> add_ranges(const query::Facet& facet, std::span<const std::uint32_t> counted, FacetRoom& room,
                                 query::FacetCounts& counts);

  std::vector<Counted> facets_;
  std::vector<engine::CountedCodes> codes_;
};

}  // namespace frond::leaf::collect
