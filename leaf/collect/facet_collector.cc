#include "leaf/collect/facet_collector.h"

#include <algorithm>
#include <string>
#include <utility>

namespace frond::leaf::collect {

Result<FacetCollector> FacetCollector::make(const std::vector<query::Facet>& facets, const schema::Schema& schema,
                                            const clauses::ClausePlan& plan, KeywordCache& keywords,
                                            const FacetRoom& room, const Clock& clock) {
  FacetCollector made(plan.plan.lengths.size(), room);
  std::size_t bytes = 0;
  for (const query::Facet& facet : facets) {
    const schema::Field* const field = schema.find(facet.field);
    if (field == nullptr) return schema::unknown_field(schema, facet.field);
    const auto number = static_cast<std::uint32_t>(field - schema.fields.data());
    Counted& counted = made.facets_.emplace_back();
    counted.facet = &facet;
    counted.column = plan.partition->column(number);
    if (counted.column == nullptr) continue;
    KeywordCache::Numbers words;
    if (field->type == schema::FieldType::kKeyword) {
      auto kept = keywords.numbers(plan.plan.partition, number, *counted.column, plan.plan.deadline, clock);
      if (!kept) return std::move(kept).error().within("facet " + schema::quote(facet.name));
      words = *std::move(kept);
    }
    counted.counter = facet_counter(facet, *counted.column, std::move(words), room.buckets_left());
    bytes += counted.counter->most_bytes();
    if (bytes > kMostBytes)
      return Error(Code::kInvalid, "facet " + schema::quote(facet.name) + " and those before it need " +
                                       std::to_string(bytes) + " bytes to count a partition, more than " +
                                       std::to_string(kMostBytes));
  }
  return made;
}

Result<void> FacetCollector::take(DocId first, const Bits& documents, clauses::Matcher&) {
  const std::uint32_t all = clauses::count(documents);
  for (Counted& one : facets_) {
    if (one.column == nullptr) {
      one.counts.missing += all;
      continue;
    }
    const Chunk& chunk = one.column->chunk(first / kWindow);
    Bits present = documents;
    for (std::uint32_t i = 0; i < present.size(); ++i) present[i] &= chunk.present(i);
    const std::uint32_t with_value = clauses::count(present);
    one.counts.with_value += with_value;
    one.counts.missing += all - with_value;
    if (with_value != 0 && !one.counter->take(first / kWindow, chunk, present))
      return room_.too_many_buckets(*one.facet);
  }
  return {};
}

// All of them can, or none is asked to.
bool FacetCollector::counts_rest() {
  const auto can = [](const Counted& one) { return one.counter == nullptr || one.counter->can_count_rest(); };
  if (!std::ranges::all_of(facets_, can)) return false;
  for (Counted& one : facets_)
    if (one.counter != nullptr) one.with_value = one.counter->count_rest();
  return is_rest_ = true;
}

Result<std::vector<query::FacetCounts>> FacetCollector::finish() {
  std::vector<query::FacetCounts> all;
  for (Counted& one : facets_) {
    if (is_rest_) {
      one.counts.with_value = one.with_value - one.counts.with_value;
      one.counts.missing = documents_ - one.with_value - one.counts.missing;
    }
    if (one.counter != nullptr) FROND_TRY(one.counter->finish(room_, one.counts));
    all.push_back(std::move(one.counts));
  }
  return all;
}

}  // namespace frond::leaf::collect
