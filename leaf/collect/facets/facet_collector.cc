#include "leaf/collect/facets/facet_collector.h"

#include <algorithm>
#include <utility>

#include "common/query/normal_form.h"

namespace frond::leaf::collect {

using Kind = query::Facet::Kind;

// What counters are made of.
struct FacetCollector::Making {
  const schema::Schema& schema;
  const clauses::ClausePlan& plan;
  const FacetClauses& clauses;
  KeywordCache& keywords;
  std::size_t max_buckets;
  const Clock& clock;
  std::size_t& bytes;  // of the counters that are made, once they begin
};

Result<FacetCollector::Counted> FacetCollector::counted(const query::Facet& facet, bool alone, const Making& making) {
  Counted made;
  made.facet = &facet;
  made.alone = alone && facet.inside.empty();
  if (alone) made.documents.resize(1);
  if (query::is_of_clauses(facet.kind)) {
    LeftOut left_out;
    for (const query::NamedClause& one : facet.queries)
      left_out.push_back(making.clauses.at(query::cache_key(one.clause)));
    made.counter = document_counter(facet, std::move(left_out));
  } else {
    const schema::Field* const field = making.schema.find(facet.field);
    if (field == nullptr) return schema::unknown_field(making.schema, facet.field);
    const auto number = static_cast<std::uint32_t>(field - making.schema.fields.data());
    made.column = making.plan.partition->column(number);
    const bool by_word = field->type == schema::FieldType::kKeyword && facet.kind != Kind::kCount;
    if (facet.kind == Kind::kMissing) {
      made.counter = document_counter(facet, {});
    } else if (made.column != nullptr) {
      KeywordCache::Numbers words;
      if (by_word) {
        const engine::Plan& plan = making.plan.plan;
        auto kept = making.keywords.numbers(plan.partition, number, *made.column, plan.deadline, making.clock);
        if (!kept) return std::move(kept).error().within("facet " + schema::quote(facet.name));
        words = *std::move(kept);
      }
      made.counter = facet_counter(facet, *made.column, std::move(words), making.max_buckets);
    }
  }
  if (made.counter != nullptr) {
    making.bytes += made.counter->array_bytes(made.alone);
    if (making.bytes > kMaxCountingBytes)
      return too_many_bytes("facet " + schema::quote(facet.name) + " and those before it", making.bytes);
  }
  for (const query::Facet& one : facet.inside) made.inside.push_back(FROND_TRY(counted(one, false, making)));
  return made;
}

Result<FacetCollector> FacetCollector::make(const std::vector<query::Facet>& facets, const schema::Schema& schema,
                                            const clauses::ClausePlan& plan, const FacetClauses& clauses,
                                            KeywordCache& keywords, const FacetRoom& room, const Clock& clock) {
  FacetCollector made(plan.plan.lengths.size(), room, plan.plan.deadline, clock);
  std::size_t bytes = 0;
  const Making making{schema, plan, clauses, keywords, room.buckets_left(), clock, bytes};
  for (const query::Facet& facet : facets) made.facets_.push_back(FROND_TRY(counted(facet, true, making)));
  return made;
}

Result<void> FacetCollector::take(DocId first, const Bits& documents, clauses::Matcher&) {
  const std::uint32_t all = clauses::count(documents);
  rows_.clear();
  for (Counted& one : facets_) {
    if (one.alone) {
      FROND_TRY(take_alone(one, first, documents, all));
      continue;
    }
    if (rows_.empty()) clauses::for_each(documents, [&](std::uint32_t document) { rows_.push_back({document, 0}); });
    FROND_TRY(take_rows(one, first / kWindow, rows_));
  }
  return check_bytes();
}

Result<void> FacetCollector::take_alone(Counted& one, DocId first, const Bits& documents, std::uint32_t all) const {
  static const Chunk kNone;
  const Chunk& chunk = one.column == nullptr ? kNone : one.column->chunk(first / kWindow);
  Documents& counts = one.documents.front();
  Bits counted = documents;
  std::uint32_t with_value = all;
  if (!query::is_of_clauses(one.facet->kind)) {
    for (std::uint32_t i = 0; i < counted.size(); ++i) counted[i] &= chunk.present(i);
    with_value = clauses::count(counted);
  }
  counts.with_value += with_value;
  counts.missing += all - with_value;
  if (one.facet->kind == Kind::kMissing) {
    Bits missing = documents;
    clauses::remove(missing, counted);
    counted = missing;
    with_value = all - with_value;
  }
  if (with_value != 0 && !one.counter->take(first / kWindow, chunk, counted)) return room_.too_many_buckets(*one.facet);
  return {};
}

Result<void> FacetCollector::take_rows(Counted& one, std::uint32_t number, std::span<const Row> rows) const {
  static const Chunk kNone;
  const Chunk& chunk = one.column == nullptr ? kNone : one.column->chunk(number);
  const bool all = query::is_of_clauses(one.facet->kind), missing = one.facet->kind == Kind::kMissing;
  one.rows.clear();
  for (const Row& row : rows) {
    if (row.slot >= one.documents.size()) one.documents.resize(row.slot + std::size_t{1});
    const bool has = all || (chunk.values != 0 && chunk.has(row.document));
    ++(has ? one.documents[row.slot].with_value : one.documents[row.slot].missing);
    if (has != missing) one.rows.push_back(row);
  }
  if (one.counter == nullptr) return {};
  // A few at a time: each may become as many as its document has values or clauses that it matches.
  const std::size_t most = chunk.offsets == nullptr ? kWindow : 64;
  for (std::span<const Row> left = one.rows; !left.empty();) {
    if (deadline_.passed(*clock_)) return Error(Code::kDeadline, "the deadline passed while facets were counted");
    const auto some = left.first(std::min(left.size(), most));
    left = left.subspan(some.size());
    one.into.clear();
    one.counter->take(number, chunk, some, one.inside.empty() ? nullptr : &one.into);
    if (one.counter->slots() > room_.buckets_left()) return room_.too_many_buckets(*one.facet);
    FROND_TRY(check_bytes());
    for (Counted& inside : one.inside) FROND_TRY(take_rows(inside, number, one.into));
  }
  return {};
}

std::size_t FacetCollector::bytes_of(const Counted& one) {
  std::size_t bytes = one.counter == nullptr ? 0 : one.counter->bytes();
  bytes += one.documents.capacity() * sizeof(Documents);
  for (const Counted& inside : one.inside) bytes += bytes_of(inside);
  return bytes;
}

Result<void> FacetCollector::check_bytes() const {
  std::size_t bytes = 0;
  for (const Counted& one : facets_) {
    bytes += bytes_of(one);
    if (bytes > kMaxCountingBytes)
      return too_many_bytes("facet " + schema::quote(one.facet->name) + " and those before it", bytes);
  }
  return {};
}

// All of them can, or none is asked to.
bool FacetCollector::counts_rest() {
  const auto can = [](const Counted& one) {
    return one.alone && (one.counter == nullptr || one.counter->can_count_rest());
  };
  if (!std::ranges::all_of(facets_, can)) return false;
  for (Counted& one : facets_)
    if (one.counter != nullptr) one.with_value = static_cast<std::uint32_t>(one.counter->count_rest());
  return is_rest_ = true;
}

Result<std::vector<query::FacetCounts>> FacetCollector::finish() {
  std::vector<query::FacetCounts> all;
  for (Counted& one : facets_) {
    if (is_rest_) {
      Documents& documents = one.documents.front();
      documents.missing = static_cast<std::uint32_t>(documents_) - one.with_value - documents.missing;
      documents.with_value = one.with_value - documents.with_value;
    }
    all.push_back(std::move(FROND_TRY(finish(one, 1)).front()));
  }
  return all;
}

// By slot around, of which there are so many.
Result<std::vector<query::FacetCounts>> FacetCollector::finish(Counted& one, std::size_t around) {
  std::vector<query::FacetCounts> all(around);
  for (std::size_t i = 0; i < one.documents.size(); ++i) {
    all[i].with_value = one.documents[i].with_value;
    all[i].missing = one.documents[i].missing;
  }
  if (one.counter == nullptr) return all;
  const std::size_t own = one.counter->slots();
  const FacetCounter::Slots slots = FROND_TRY(one.counter->finish(room_, all));
  std::vector<std::vector<query::FacetCounts>> inside;
  for (Counted& facet : one.inside) {
    FROND_TRY(room_.take_inside(*facet.facet, own));
    inside.push_back(FROND_TRY(finish(facet, own)));
  }
  if (inside.empty()) return all;
  std::size_t next = 0;
  for (query::FacetCounts& counts : all) {
    counts.nested.reserve(counts.buckets() * inside.size());
    for (std::size_t bucket = 0; bucket < counts.buckets(); ++bucket, ++next)
      for (auto& facet : inside) counts.nested.push_back(std::move(facet[slots[next]]));
  }
  return all;
}

}  // namespace frond::leaf::collect
