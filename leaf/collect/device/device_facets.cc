#include "leaf/collect/device/device_facets.h"

#include <algorithm>
#include <utility>

#include "common/partition/values/value_column.h"
#include "leaf/collect/device/column_codes.h"
#include "leaf/collect/facets/facet_counters.h"
#include "leaf/collect/facets/stats_counter.h"

namespace frond::leaf::collect {
namespace {

using partition::ValueColumn;
using Kind = query::Facet::Kind;

CodesOf codes_of(const query::Facet& facet) {
  if (facet.kind != Kind::kDates) return CodesOf::kValues;
  if (facet.unit == query::DateUnit::kMinute) return CodesOf::kMinutes;
  return facet.unit == query::DateUnit::kHour ? CodesOf::kHours : CodesOf::kDays;
}

// The codes from which on documents have a value, and are in each further range.
std::vector<std::uint64_t> bounds_in(const query::Facet& facet, schema::FieldType type, const ValueSpan& span) {
  std::vector<std::uint64_t> bounds{1};
  for (const schema::Value& bound : facet.bounds) {
    const std::uint64_t key = schema::ordering_key(type, bound);
    bounds.push_back(key <= span.base ? 1 : std::min(key - span.base, span.steps) + 1);
  }
  return bounds;
}

}  // namespace

std::optional<DeviceFacets> DeviceFacets::make(const std::vector<query::Facet>& facets, const schema::Schema& schema,
                                               const clauses::SearchedPartition& searched, std::uint64_t partition,
                                               KeywordCache& keywords, const Deadline& deadline, const Clock& clock) {
  DeviceFacets made;
  for (const query::Facet& facet : facets) {
    query::Facet counted_as = facet;  // but for what is done with all counts
    counted_as.order = {};
    counted_as.min_count = 1;
    if (!query::is_simple(counted_as)) return std::nullopt;
    const schema::Field* const field = schema.find(facet.field);
    if (field == nullptr) return std::nullopt;
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
  const query::Facet& facet = *counted.facet;
  const ValueColumn& column = *counted.column;
  if (column.values() > kMostValues) return false;
  // Sums of floats are not made of counts.
  if (facet.kind == Kind::kStats && column.type() == schema::FieldType::kFloat) return false;
  ValueSpan span;
  std::uint64_t all = counted.words == nullptr ? 0 : counted.words->size();
  if (counted.words == nullptr) {
    span = facet.kind == Kind::kStats ? whole_span(column) : span_of(facet, column);
    if (facet.kind == Kind::kRanges && span.steps >= engine::DocumentCodes::kMostCounted) span.steps = 0;
    all = span.steps;
  }
  std::vector<std::uint64_t> bounds;
  if (all == 0 && facet.kind == Kind::kRanges && has_single_values(column)) {
    span = whole_span(column);
    counted.by_bounds = span.steps != 0;
    if (counted.by_bounds) bounds = bounds_in(facet, column.type(), span);
    all = bounds.size();
  }
  counted.summed = facet.kind == Kind::kStats && all >= engine::DocumentCodes::kMostCounted;
  if (all == 0 || (all >= engine::DocumentCodes::kMostCounted && !counted.summed)) return false;
  counted.codes = codes_.size();
  const CodesOf of = codes_of(facet);
  const std::shared_ptr<const void> name = column.name(static_cast<std::size_t>(of));
  if (bounds.empty()) {  // once, whichever facets need it
    const auto same = std::ranges::find_if(codes_, [&](const auto& one) {
      return one.bounds.empty() && one.sums == counted.summed && one.codes->owner() == name;
    });
    counted.codes = static_cast<std::size_t>(same - codes_.begin());
    if (same != codes_.end()) return true;
  }
  codes_.push_back({column_codes(column, of, counted.words, span), std::move(bounds), counted.summed});
  return true;
}

// Of a facet of ranges: counters are of documents without a value, then of the ranges.
Result<void> DeviceFacets::add_ranges(const query::Facet& facet, std::span<const std::uint32_t> counted,
                                      FacetRoom& room, query::FacetCounts& counts) {
  for (std::size_t i = 1; i < counted.size(); ++i) {
    if (counted[i] == 0) continue;
    FROND_TRY(room.take_number(facet));
    counts.keys.push_back(i - 1);
    counts.counts.push_back(counted[i]);
  }
  return {};
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
    if (one.by_bounds) {
      FROND_TRY(add_ranges(*one.facet, counted, room, counts));
      continue;
    }
    if (one.summed) {
      add_sums(engine::CodeSums::of(counted), *one.column, counts);
      continue;
    }
    const auto counter = facet_counter(*one.facet, *one.column, one.words, room.buckets_left());
    counter->add(std::span(counted).subspan(1));
    FROND_TRY(counter->finish(room, std::span(&counts, 1)));
  }
  return all;
}

}  // namespace frond::leaf::collect
