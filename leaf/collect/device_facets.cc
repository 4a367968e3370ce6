#include "leaf/collect/device_facets.h"

#include <algorithm>
#include <utility>

#include "common/partition/values/value_column.h"
#include "leaf/collect/column_codes.h"
#include "leaf/collect/facet_counters.h"

namespace frond::leaf::collect {
namespace {

using partition::ValueColumn;

CodesOf codes_of(const query::Facet& facet) {
  if (facet.kind != query::Facet::Kind::kDates) return CodesOf::kValues;
  if (facet.unit == query::DateUnit::kMinute) return CodesOf::kMinutes;
  return facet.unit == query::DateUnit::kHour ? CodesOf::kHours : CodesOf::kDays;
}

}  // namespace

std::optional<DeviceFacets> DeviceFacets::make(const std::vector<query::Facet>& facets, const schema::Schema& schema,
                                               const clauses::SearchedPartition& searched, std::uint64_t partition,
                                               KeywordCache& keywords, const Deadline& deadline, const Clock& clock) {
  DeviceFacets made;
  for (const query::Facet& facet : facets) {
    const schema::Field* const field = schema.find(facet.field);
    if (field == nullptr || facet.kind == query::Facet::Kind::kStats) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(field - schema.fields.data());
    Counted counted{&facet, searched.column(number), {}, 0};
    if (counted.column != nullptr && field->type == schema::FieldType::kKeyword) {
      auto words = keywords.numbers(partition, number, *counted.column, deadline, clock);
      if (!words) return std::nullopt;
      counted.words = *std::move(words);
    }
    if (counted.column != nullptr && !made.add(counted)) return std::nullopt;
    made.facets_.push_back(std::move(counted));
  }
  if (made.codes_.empty()) return std::nullopt;
  return made;
}

// False: a device does not count it.
bool DeviceFacets::add(Counted& counted) {
  const ValueColumn& column = *counted.column;
  if (!has_single_values(column)) return false;
  const ValueSpan span = counted.words == nullptr ? span_of(*counted.facet, column) : ValueSpan{};
  const std::uint64_t codes = 1 + (counted.words == nullptr ? span.steps : counted.words->size());
  if (codes == 1 || codes > engine::DocumentCodes::kMostCounted) return false;
  const CodesOf of = codes_of(*counted.facet);
  const auto same = std::ranges::find(codes_, column.name(static_cast<std::size_t>(of)), &engine::DocumentCodes::owner);
  counted.codes = static_cast<std::size_t>(same - codes_.begin());
  if (same == codes_.end()) codes_.push_back(column_codes(column, of, counted.words, span));
  return true;
}

Result<std::vector<query::FacetCounts>> DeviceFacets::counts(const engine::Outcome& outcome, FacetRoom room) const {
  std::vector<query::FacetCounts> all;
  for (const Counted& one : facets_) {
    query::FacetCounts& counts = all.emplace_back();
    counts.missing = outcome.matches;
    if (one.column == nullptr) continue;
    const std::vector<std::uint32_t>& counted = outcome.counts[one.codes];
    counts.missing = counted[0];
    counts.with_value = outcome.matches - counted[0];
    const auto counter = facet_counter(*one.facet, *one.column, one.words, room.buckets_left());
    counter->add(std::span(counted).subspan(1));
    FROND_TRY(counter->finish(room, counts));
  }
  return all;
}

}  // namespace frond::leaf::collect
