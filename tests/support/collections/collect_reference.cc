#include "tests/support/collections/collect_reference.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "common/query/facets/facet_buckets.h"
#include "common/query/normal_form.h"
#include "leaf/collect/sorted_ranking.h"
#include "tests/support/collections/clause_reference.h"

namespace frond::leaf::collect {
namespace {

using Kind = query::Facet::Kind;
using Values = std::vector<schema::Value>;

Error time_is_over() { return Error(Code::kDeadline, "the deadline passed during evaluation"); }

class Reference {
 public:
  Reference(const clauses::ClausePlan& plan, const schema::Schema& schema) : plan_(plan), schema_(schema) {}

  std::string bytes_of(const topk::Hit& hit, const query::SortOrder& order) const {
    std::string bytes;
    for (const query::SortKey& key : order) {
      if (key.by == query::SortKey::By::kScore) query::SortBytes::add_score(key, hit.score, bytes);
      if (key.by == query::SortKey::By::kOrder) {
        query::SortBytes::add_order(key, hit.ordinal, bytes);
        break;
      }
      if (key.by == query::SortKey::By::kColumn) add_value(key, values_of(key.field, hit), bytes);
    }
    return bytes;
  }
  // kInvalid: there are more buckets than there is room for; kDeadline.
  Result<query::FacetCounts> count(const query::Facet& facet, const std::vector<topk::Hit>& hits,
                                   const FacetClauses& clauses, FacetRoom& room, const Clock& clock) const {
    query::FacetCounts counts;
    std::map<schema::Value, std::vector<topk::Hit>> by_value;  // kValues, kDistinct
    std::map<std::uint64_t, std::vector<topk::Hit>> by_bucket;
    const schema::Field* const field = schema_.find(facet.field);
    const schema::FieldType type = field == nullptr ? schema::FieldType::kInteger : field->type;
    for (const topk::Hit& hit : hits) {
      if (plan_.plan.deadline.passed(clock)) return time_is_over();
      if (by_value.size() + by_bucket.size() > room.buckets_left()) return room.too_many_buckets(facet);
      const Values values = field == nullptr ? Values() : values_of(facet.field, hit);
      ++(field != nullptr && values.empty() ? counts.missing : counts.with_value);
      std::multiset<std::uint64_t> buckets;
      for (std::size_t i = 0; i < facet.queries.size(); ++i)
        if (!clauses.at(query::cache_key(facet.queries[i].clause))->contains(docid_of(hit))) buckets.insert(i);
      if (facet.kind == Kind::kMissing && values.empty()) buckets.insert(0);
      for (const schema::Value& value : values) {
        if (facet.kind == Kind::kValues || facet.kind == Kind::kDistinct)
          by_value[value].push_back(hit);
        else if (facet.kind == Kind::kCount)
          ++counts.values;
        else if (facet.kind == Kind::kStats)
          add_to_stats(type, value, counts);
        else if (facet.kind != Kind::kMissing)
          buckets.insert(bucket_of(facet, type, value));
      }
      for (auto at = buckets.begin(); at != buckets.end(); ++at)
        if (at == buckets.begin() || *at != *std::prev(at) || facet.kind == Kind::kPercentiles)
          by_bucket[*at].push_back(hit);
    }
    const auto add_bucket = [&](const std::vector<topk::Hit>& in_bucket) -> Result<void> {
      if (facet.kind != Kind::kDistinct) counts.counts.push_back(in_bucket.size());
      for (const query::Facet& one : facet.inside) {
        FROND_TRY(room.take_inside(one, 1));
        counts.nested.push_back(FROND_TRY(count(one, in_bucket, clauses, room, clock)));
      }
      return {};
    };
    for (const auto& [value, in_bucket] : by_value) {
      if (const auto* word = std::get_if<std::string>(&value)) {
        counts.words.push_back(*word);
        FROND_TRY(room.take_word(facet, *word));
      } else {
        counts.keys.push_back(schema::ordering_key(type, value));
        FROND_TRY(room.take_number(facet));
      }
      FROND_TRY(add_bucket(in_bucket));
    }
    for (const auto& [bucket, in_bucket] : by_bucket) {
      counts.keys.push_back(bucket);
      FROND_TRY(room.take_number(facet));
      FROND_TRY(add_bucket(in_bucket));
    }
    return counts;
  }
  // The first hits, of which no more are held than are wanted. kDeadline.
  Result<SortedHits> sorted(const std::vector<topk::Hit>& hits, const Wanted& wanted, const Clock& clock) const {
    SortedHits first;
    std::vector<std::pair<query::SortPosition, topk::Hit>> some;
    std::size_t bytes = 0;  // of some
    const auto cut = [&] {
      std::ranges::sort(some, [](const auto& a, const auto& b) {
        return std::tie(a.first.bytes, a.first.ordinal) < std::tie(b.first.bytes, b.first.ordinal);
      });
      std::size_t kept = bytes = 0;
      while (kept < std::min<std::size_t>(some.size(), plan_.plan.k) && bytes <= wanted.max_sort_bytes)
        bytes += some[kept++].first.bytes.size();
      some.resize(kept);
    };
    for (const topk::Hit& hit : hits) {
      if (plan_.plan.deadline.passed(clock)) return time_is_over();
      query::SortPosition position{bytes_of(hit, wanted.sort), hit.ordinal};
      const auto place = std::tie(position.bytes, position.ordinal);
      if (wanted.after && place <= std::tie(wanted.after->bytes, wanted.after->ordinal)) continue;
      bytes += position.bytes.size();
      some.emplace_back(std::move(position), hit);
      if (some.size() >= 2 * std::size_t{plan_.plan.k} + 1000 || bytes > 4 * wanted.max_sort_bytes) cut();
    }
    cut();
    for (auto& [position, hit] : some) {
      first.hits.push_back(hit);
      first.sort_bytes.push_back(std::move(position.bytes));
    }
    return first;
  }

 private:
  Values values_of(const std::string& field, const topk::Hit& hit) const {
    const auto number = static_cast<std::uint32_t>(schema_.find(field) - schema_.fields.data());
    const partition::ValueColumn* const column = plan_.partition->column(number);
    return column == nullptr ? Values() : column->values_of(docid_of(hit));
  }
  DocId docid_of(const topk::Hit& hit) const {
    const Placement& placement = plan_.plan.placement;
    return static_cast<DocId>((hit.ordinal - placement.base) / placement.stride);
  }
  void add_value(const query::SortKey& key, const Values& values, std::string& bytes) const {
    const schema::FieldType type = schema_.find(key.field)->type;
    std::optional<schema::Value> value;
    if (!values.empty()) value = key.descending ? *std::ranges::max_element(values) : *std::ranges::min_element(values);
    if (type == schema::FieldType::kKeyword)
      return query::SortBytes::add_keyword(
          key, value ? std::optional<std::string_view>(std::get<std::string>(*value)) : std::nullopt, bytes);
    query::SortBytes::add_number(key, value ? std::optional(schema::ordering_key(type, *value)) : std::nullopt, bytes);
  }
  static void add_to_stats(schema::FieldType type, const schema::Value& value, query::FacetCounts& counts) {
    ++counts.values;
    counts.least = std::min(counts.least, schema::ordering_key(type, value));
    counts.greatest = std::max(counts.greatest, schema::ordering_key(type, value));
    if (const auto* real = std::get_if<double>(&value))
      counts.sum.add(*real);
    else
      counts.sum.add_integer(std::get<std::int64_t>(value));
  }
  static std::uint64_t bucket_of(const query::Facet& facet, schema::FieldType type, const schema::Value& value) {
    if (facet.kind != Kind::kRanges) return query::bucket_key(facet, type, schema::ordering_key(type, value));
    return static_cast<std::uint64_t>(
        std::ranges::count_if(facet.bounds, [&](const schema::Value& bound) { return !(value < bound); }));
  }

  const clauses::ClausePlan& plan_;
  const schema::Schema& schema_;
};

}  // namespace

Result<Collected> collect_exhaustively(const clauses::ClausePlan& plan, const Wanted& wanted,
                                       const schema::Schema& schema, const Clock& clock) {
  FROND_TRY(query::check_sort(wanted.sort, schema));
  clauses::ClausePlan all = plan;
  all.plan.k = static_cast<std::uint32_t>(plan.plan.lengths.size());
  all.plan.ranked = wanted.sort.empty() ? plan.plan.ranked : query::needs_scores(wanted.sort);
  Collected found;
  found.outcome = FROND_TRY(clauses::search_exhaustively(all, clock));
  std::vector<topk::Hit>& hits = found.outcome.hits;
  const Reference reference(plan, schema);
  FacetRoom room = wanted.room();
  for (const query::Facet& facet : wanted.facets)
    found.facets.push_back(FROND_TRY(reference.count(facet, hits, wanted.clauses, room, clock)));
  if (!wanted.sort.empty()) {
    SortedHits first = FROND_TRY(reference.sorted(hits, wanted, clock));
    hits = std::move(first.hits);
    found.sort_bytes = std::move(first.sort_bytes);
  }
  if (hits.size() > plan.plan.k) hits.resize(plan.plan.k);
  return found;
}

}  // namespace frond::leaf::collect
