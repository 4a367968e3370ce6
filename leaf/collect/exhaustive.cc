#include "leaf/collect/exhaustive.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "leaf/clauses/exhaustive.h"

namespace frond::leaf::collect {
namespace {

using Kind = query::Facet::Kind;
using Values = std::vector<schema::Value>;

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
  query::FacetCounts count(const query::Facet& facet, const std::vector<topk::Hit>& hits) const {
    query::FacetCounts counts;
    std::map<schema::Value, std::uint64_t> by_value;  // kValues, kDistinct
    std::map<std::uint64_t, std::uint64_t> by_bucket;
    const schema::FieldType type = schema_.find(facet.field)->type;
    for (const topk::Hit& hit : hits) {
      const Values values = values_of(facet.field, hit);
      ++(values.empty() ? counts.missing : counts.with_value);
      std::set<std::uint64_t> buckets;
      for (const schema::Value& value : values) {
        if (facet.kind == Kind::kValues || facet.kind == Kind::kDistinct)
          ++by_value[value];
        else if (facet.kind == Kind::kStats)
          add_to_stats(type, value, counts);
        else
          buckets.insert(bucket_of(facet, type, value));
      }
      for (const std::uint64_t bucket : buckets) ++by_bucket[bucket];
    }
    for (const auto& [value, count] : by_value) {
      if (const auto* word = std::get_if<std::string>(&value))
        counts.words.push_back(*word);
      else
        counts.keys.push_back(schema::ordering_key(type, value));
      if (facet.kind == Kind::kValues) counts.counts.push_back(count);
    }
    for (const auto& [bucket, count] : by_bucket) {
      counts.keys.push_back(bucket);
      counts.counts.push_back(count);
    }
    return counts;
  }

 private:
  Values values_of(const std::string& field, const topk::Hit& hit) const {
    const auto number = static_cast<std::uint32_t>(schema_.find(field) - schema_.fields.data());
    const partition::ValueColumn* const column = plan_.partition->column(number);
    const Placement& placement = plan_.plan.placement;
    return column == nullptr ? Values()
                             : column->values_of(static_cast<DocId>((hit.ordinal - placement.base) / placement.stride));
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
  std::size_t left = wanted.max_buckets;
  for (const query::Facet& facet : wanted.facets) {
    query::FacetCounts counts;
    FROND_TRY(query::add(facet, reference.count(facet, hits), left, counts));
    left -= counts.buckets();
    found.facets.push_back(std::move(counts));
  }
  if (!wanted.sort.empty()) {
    std::vector<std::pair<query::SortPosition, topk::Hit>> sorted;
    for (const topk::Hit& hit : hits) {
      query::SortPosition position{reference.bytes_of(hit, wanted.sort), hit.ordinal};
      const auto place = std::tie(position.bytes, position.ordinal);
      if (!wanted.after || std::tie(wanted.after->bytes, wanted.after->ordinal) < place)
        sorted.emplace_back(std::move(position), hit);
    }
    std::ranges::sort(sorted, [](const auto& a, const auto& b) {
      return std::tie(a.first.bytes, a.first.ordinal) < std::tie(b.first.bytes, b.first.ordinal);
    });
    hits.clear();
    for (std::size_t i = 0; i < std::min<std::size_t>(sorted.size(), plan.plan.k); ++i) {
      hits.push_back(sorted[i].second);
      found.sort_bytes.push_back(std::move(sorted[i].first.bytes));
    }
  }
  if (hits.size() > plan.plan.k) hits.resize(plan.plan.k);
  return found;
}

}  // namespace frond::leaf::collect
