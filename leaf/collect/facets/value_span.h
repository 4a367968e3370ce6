#pragma once
// Where the values of a column lie. Pure functions.
#include <cstdint>

#include "common/partition/values/value_column.h"
#include "common/query/facets/facet.h"

namespace frond::leaf::collect {

// The least and the greatest key of a column that has no keywords, and whether a document may have several values.
// Without values `least` is above `greatest`.
struct KeyBounds {
  std::uint64_t least = ~std::uint64_t{0}, greatest = 0;
  bool several = false;
};
KeyBounds key_bounds(const partition::ValueColumn& column);

// Where the values of a column that has no keywords are, if they lie close together: keys base + i · unit for i <
// steps. A counter counts them by i then. steps 0: they do not, or the facet's counter needs more than their counts.
struct ValueSpan {
  std::uint64_t base = 0, unit = 1, steps = 0;
};
ValueSpan span_of(const query::Facet& facet, const partition::ValueColumn& column);
// From the least to the greatest value in steps of 1; steps 0: there are none, or about 2^64.
ValueSpan whole_span(const partition::ValueColumn& column);

}  // namespace frond::leaf::collect
