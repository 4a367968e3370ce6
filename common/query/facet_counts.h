#pragma once
// What was counted for one facet: of a part of the documents that match, added to that of other parts, and the same
// numbers whichever parts they were counted in. Pure functions.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/query/exact_sum.h"
#include "common/query/facet.h"
#include "common/schema/schema.h"

namespace frond::query {

struct FacetCounts {
  std::uint64_t with_value = 0, missing = 0;  // documents with and without a value
  // Buckets that are not empty, ascending, distinct. kValues and kDistinct: by value, of a keyword column `words`, of
  // others schema::ordering_key(). kRanges: the bucket's number, below the first bound 0. kHistogram and kDates:
  // bucket_key() of its first value.
  std::vector<std::uint64_t> keys;
  std::vector<std::string> words;
  std::vector<std::uint64_t> counts;  // by bucket: documents with a value in it, each once; kDistinct: none
  // kStats: over all values of the documents. The least and the greatest as ordering keys.
  std::uint64_t values = 0, least = ~std::uint64_t{0}, greatest = 0;
  ExactSum sum;
  friend bool operator==(const FacetCounts&, const FacetCounts&) = default;

  std::size_t buckets() const { return keys.size() + words.size(); }
};

// Adds counts of other documents. kInvalid: there would be more than `max_buckets`; the message names the facet.
Result<void> add(const Facet& facet, const FacetCounts& more, std::size_t max_buckets, FacetCounts& to);

// Whether they can be those of the facet of a column of this type: for bytes of others. kCorrupt: they cannot.
Result<void> check(const FacetCounts& counts, const Facet& facet, const schema::Schema& schema);

// Of kHistogram and kDates: the ordering key of the first value of the bucket that a value is in. `key`: an ordering
// key of the column's type.
// REQUIRES: `type` is integer, float or date.
std::uint64_t bucket_key(const Facet& facet, schema::FieldType type, std::uint64_t key);

}  // namespace frond::query
