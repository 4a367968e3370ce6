#pragma once
// Counts of one facet over the values of documents, chunk by chunk. The counter that fits is chosen once: an array by
// keyword or by value where values lie close together, else a table by bucket. Facets in others, and those around them,
// are counted by slots of their buckets (bucket_slots.h).
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/partition/documents/hidden_documents.h"
#include "common/query/facets/facet.h"
#include "common/query/facets/facet_counts.h"
#include "leaf/collect/chunk_values.h"
#include "leaf/collect/facets/facet_room.h"
#include "leaf/collect/facets/value_span.h"
#include "leaf/collect/keyword_cache.h"

namespace frond::leaf::collect {

// One thread. Chunks come once each, as bits or as rows, always the same for one counter.
class FacetCounter {
 public:
  virtual ~FacetCounter() = default;
  // Of a facet by itself. All of `documents` have values. False: there are more buckets than allowed, and what is
  // counted is of no use.
  virtual bool take(std::uint32_t number, const Chunk& chunk, const Bits& documents) = 0;
  // Of one in others or around others: rows ascend by document. Adds to `into`, which may be null, the rows with the
  // slots of their own buckets.
  virtual void take(std::uint32_t number, const Chunk& chunk, std::span<const Row> rows, std::vector<Row>* into) = 0;
  // Slots of its own so far.
  virtual std::size_t slots() const { return 0; }
  // Whether it can count what is given to take(), and take that off what all documents of the partition have. To be
  // called first: count_rest() begins this, and returns how many documents have values.
  virtual bool can_count_rest() const { return false; }
  virtual std::uint64_t count_rest() { return 0; }
  // Adds what a device has counted (device_facets.h): by the number of a keyword, or by the step of a value. Only for
  // counters of keywords, of values with a span, and of statistics, whose steps are those of whole_span().
  virtual void add(std::span<const std::uint32_t> counts);
  // Sets all but with_value, missing and nested, by slot around: of a facet in no other one, of slot 0. Returns the
  // slots of the buckets in the order in which they are there, if they have any. Errors of the room, which it takes for
  // its buckets.
  using Slots = std::vector<std::uint32_t>;
  virtual Result<Slots> finish(FacetRoom& room, std::span<query::FacetCounts> counts) = 0;
  // Of memory, now.
  virtual std::size_t bytes() const = 0;
  // Of the array that the first take() makes: of a facet by itself, or of one in others or around others.
  virtual std::size_t array_bytes(bool /*alone*/) const { return 0; }
};

// Of a facet with a column. `numbers`: of a column of keywords, but of kCount and kMissing, which need none. Borrows
// all but these.
std::unique_ptr<FacetCounter> facet_counter(const query::Facet& facet, const partition::ValueColumn& column,
                                            KeywordCache::Numbers numbers, std::size_t max_buckets);
// Of kFilter and kFilters, by what each clause leaves out of the partition; of kMissing, which is given the documents
// without a value, by nothing. Both pass over the chunk.
using LeftOut = std::vector<std::shared_ptr<const partition::HiddenDocuments>>;
std::unique_ptr<FacetCounter> document_counter(const query::Facet& facet, LeftOut left_out);

}  // namespace frond::leaf::collect
