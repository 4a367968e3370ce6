#include "leaf/collect/facets/value_span.h"

#include <algorithm>
#include <variant>

#include "common/query/facets/facet_buckets.h"

namespace frond::leaf::collect {

using Chunk = partition::ValueColumn::Chunk;
using Kind = query::Facet::Kind;

KeyBounds key_bounds(const partition::ValueColumn& column) {
  KeyBounds bounds;
  for (std::uint32_t i = 0; i < column.chunks(); ++i) {
    const Chunk& chunk = column.chunk(i);
    if (chunk.values == 0) continue;
    bounds.least = std::min(bounds.least, chunk.least);
    bounds.greatest = std::max(bounds.greatest, chunk.greatest);
    bounds.several = bounds.several || chunk.offsets != nullptr;
  }
  return bounds;
}

ValueSpan whole_span(const partition::ValueColumn& column) {
  const KeyBounds bounds = key_bounds(column);
  if (bounds.least > bounds.greatest || bounds.greatest - bounds.least >= ~std::uint64_t{0} - 2) return {};
  return {bounds.least, 1, bounds.greatest - bounds.least + 1};
}

ValueSpan span_of(const query::Facet& facet, const partition::ValueColumn& column) {
  const auto [least, greatest, several] = key_bounds(column);
  if (least > greatest || (several && facet.kind != Kind::kValues && facet.kind != Kind::kDistinct)) return {};
  ValueSpan span{least, 1, 0};
  if (facet.kind == Kind::kDates) {
    span.unit = query::date_steps(facet, least, greatest);
    const auto unit = static_cast<std::int64_t>(span.unit);
    const std::int64_t rest = std::get<std::int64_t>(schema::value_of_key(schema::FieldType::kDate, least)) % unit;
    const auto behind = static_cast<std::uint64_t>(rest < 0 ? rest + unit : rest);  // a multiple of the unit
    if (behind > least) return {};  // the first of all dates is in the middle of a unit
    span.base = least - behind;
  }
  const std::uint64_t steps = (greatest - span.base) / span.unit;
  const std::uint64_t most = 4096 + column.documents() / 8;  // more would take longer to look through than to count
  if (steps < most) span.steps = steps + 1;
  return span;
}

}  // namespace frond::leaf::collect
