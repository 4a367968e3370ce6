#pragma once
// Counts of one facet over the values of documents, chunk by chunk. The counter that fits is chosen once: an array by
// keyword or by value where values lie close together, else a table by bucket.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "common/base/result.h"
#include "common/query/facet.h"
#include "common/query/facet_counts.h"
#include "leaf/collect/chunk_values.h"
#include "leaf/collect/facet_room.h"
#include "leaf/collect/keyword_cache.h"

namespace frond::leaf::collect {

// One thread. Chunks come once each.
class FacetCounter {
 public:
  virtual ~FacetCounter() = default;
  // All of `documents` have values. False: there are more buckets than allowed, and what is counted is of no use.
  virtual bool take(std::uint32_t number, const Chunk& chunk, const Bits& documents) = 0;
  // Whether it can count what is given to take(), and take that off what all documents of the partition have. To be
  // called first: count_rest() begins this, and returns how many documents have values.
  virtual bool can_count_rest() const { return false; }
  virtual std::uint64_t count_rest() { return 0; }
  // Adds what a device has counted (device_facets.h): by the number of a keyword, or by the step of a value. Only for
  // counters of keywords, of values with a span, and of statistics, whose steps are those of whole_span().
  virtual void add(std::span<const std::uint32_t> counts) = 0;
  // Sets all but with_value and missing. Errors of the room, which it takes for its buckets.
  virtual Result<void> finish(FacetRoom& room, query::FacetCounts& counts) = 0;
  // Of memory, at most.
  virtual std::size_t most_bytes() const = 0;
};

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

// `numbers`: of a column of keywords. Borrows all but these.
std::unique_ptr<FacetCounter> facet_counter(const query::Facet& facet, const partition::ValueColumn& column,
                                            KeywordCache::Numbers numbers, std::size_t max_buckets);

}  // namespace frond::leaf::collect
