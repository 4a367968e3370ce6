#pragma once
// What was counted for one facet: of a part of the documents that match, added to that of other parts, and the same
// numbers whichever parts they were counted in. Pure functions.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/query/facets/exact_sum.h"
#include "common/query/facets/facet.h"
#include "common/schema/schema.h"

namespace frond::query {

struct FacetCounts {
  std::uint64_t with_value = 0, missing = 0;  // documents with and without a value; of clauses all are with one
  // Buckets that are not empty, ascending, distinct. kValues and kDistinct: by value, of a keyword column `words`, of
  // others schema::ordering_key(). kRanges: the bucket's number, below the first bound 0; kFilter, kFilters: that of
  // the clause; kMissing: 0. kHistogram, kDates and kPercentiles: bucket_key() of its values.
  std::vector<std::uint64_t> keys;
  std::vector<std::string> words;
  // By bucket: documents in it, each once; kPercentiles: values; kDistinct: none.
  std::vector<std::uint64_t> counts;
  // kStats and kCount: over all values of the documents. kStats: the least and the greatest as ordering keys.
  std::uint64_t values = 0, least = ~std::uint64_t{0}, greatest = 0;
  ExactSum sum;
  // Of each bucket and each facet inside: that of bucket b and facet f at b · (number of facets) + f.
  std::vector<FacetCounts> nested;
  friend bool operator==(const FacetCounts&, const FacetCounts&) = default;

  std::size_t buckets() const { return keys.size() + words.size(); }
};

// Adds counts of other documents.
void add(const Facet& facet, FacetCounts more, FacetCounts& to);

// Whether they can be those of the facet, which is bound to the schema: for bytes of others. kCorrupt: they cannot.
Result<void> check(const FacetCounts& counts, const Facet& facet, const schema::Schema& schema);

}  // namespace frond::query
