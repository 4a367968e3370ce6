#pragma once
// What a device is given of a partition's column (engine/document_codes.h): by document, or of a column with several
// values a document by value, the number of its keyword, or the step of its value (ValueSpan), and one more; 0: it has
// none.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/partition/values/value_column.h"
#include "leaf/collect/facets/facet_counters.h"
#include "leaf/collect/keyword_cache.h"
#include "leaf/engine/document_codes.h"

namespace frond::leaf::collect {

// What codes are made of, which names them (ValueColumn::name()): of all values in steps of 1, or of dates in steps of
// a unit; of a column with several values a document the least or the greatest one, and where the values are.
enum class CodesOf : std::uint8_t {
  kValues = 0,
  kMinutes = 1,
  kHours = 2,
  kDays = 3,
  kLeast = 1,
  kGreatest = 2,
  kPlaces = 3
};
static_assert(static_cast<std::size_t>(CodesOf::kPlaces) < partition::ValueColumn::kNames);

// Whether no document has several values.
bool has_single_values(const partition::ValueColumn& column);

// `words`: of a column of keywords, else null and `span` says what steps are; then span.steps is below 2^64 - 1.
// Borrows the column. REQUIRES: kLeast and kGreatest are of a column with several values, of which there are at most
// kMostValues, and units of dates of one without.
inline constexpr std::uint64_t kMostValues = 1u << 31;
std::shared_ptr<const engine::DocumentCodes> column_codes(const partition::ValueColumn& column, CodesOf of,
                                                          KeywordCache::Numbers words, const ValueSpan& span);

}  // namespace frond::leaf::collect
