// All aggregations of an answer: their names, and that of the indices searched.
#include <algorithm>

#include "broker/elasticsearch/aggregations/aggregations.h"
#include "broker/elasticsearch/aggregations/pipeline_aggregations.h"

namespace frond::broker::elasticsearch {

Expected<Json> Aggregation::shown_by_index(const std::vector<IndexTotal>& totals) const {
  if (!inside.empty()) return not_supported("aggregations in terms of [_index]");
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  for (const IndexTotal& one : totals) {
    if (!one.is_known) return not_supported("terms of [_index] with [post_filter] or hits that are not all counted");
    if (one.hits > 0) counts.emplace_back(one.index, one.hits);
  }
  const bool by_name = as.by_count == false, descending = !as.by_count || as.descending;
  std::ranges::stable_sort(counts, [&](const auto& a, const auto& b) {
    if (by_name) return descending ? b.first < a.first : a.first < b.first;
    return a.second != b.second ? (a.second > b.second) == descending : a.first < b.first;
  });
  Json buckets = Json::array();
  std::uint64_t others = 0;
  for (const auto& [index, count] : counts) {
    if (buckets.size() < as.size)
      buckets.push_back({{"key", index}, {"doc_count", count}});
    else
      others += count;
  }
  return Json{{"doc_count_error_upper_bound", 0}, {"sum_other_doc_count", others}, {"buckets", std::move(buckets)}};
}

bool Aggregation::has_repeats(const Json& facets) const {
  if (!repeats || !facets.is_object()) return false;
  const auto each = facets.find(kEach + field->column);
  return each != facets.end() && (*each)["values"] != (*each)["documents"];
}

Expected<void> check_patterns(const ShownAs& as, const std::vector<Json>& buckets) {
  const auto states_of = [](const std::optional<LuceneRegexp>& pattern) { return pattern ? pattern->states() : 0; };
  const std::size_t states = states_of(as.include_like) + states_of(as.exclude_like);
  if (states == 0) return {};
  for (const Json& bucket : buckets) as.pattern_steps += (bucket_text(bucket["value"]).size() + 1) * states;
  if (as.pattern_steps <= kMaxPatternSteps) return {};
  return not_supported("a terms aggregation whose patterns take so long");
}

std::uint64_t shown_terms(const ShownAs& as, std::vector<Json>& buckets, const char* count) {
  std::uint64_t others = 0;
  const auto cut = [&](std::size_t most) {
    for (std::size_t i = most; i < buckets.size(); ++i) others += buckets[i][count].get<std::uint64_t>();
    if (buckets.size() > most) buckets.resize(most);
  };
  if (as.least > 1) {
    cut(as.gathered);
    std::erase_if(buckets, [&](const Json& one) { return one[count] < as.least; });
  }
  cut(as.size);
  return others;
}

std::string Aggregation::shown_name(bool typed_keys) const {
  if (!typed_keys) return name;
  std::string type = kind;
  if (kind == "avg_bucket" || kind == "sum_bucket" || kind == "cumulative_sum" || kind == "serial_diff") {
    type = "simple_value";
  } else if (kind == "min_bucket" || kind == "max_bucket") {
    type = "bucket_metric_value";
  } else if (kind == "percentile_ranks") {
    type = "tdigest_percentile_ranks";
  } else if (kind == "rare_terms" || kind == "significant_terms") {
    const bool of_text = field == nullptr || field->type == Type::kKeyword;
    type = kind == "rare_terms" ? (of_text ? "srareterms" : "lrareterms") : (of_text ? "sigsterms" : "siglterms");
  } else if (kind == "terms") {
    const bool whole =
        field != nullptr && (is_whole(field->type) || field->type == Type::kDate || field->type == Type::kBoolean);
    type = field == nullptr || field->has_words() ? "sterms" : whole ? "lterms" : "dterms";
  } else if (kind == "percentiles") {
    type = "tdigest_percentiles";
  }
  return type + "#" + name;
}

Expected<Json> aggregations_json(const std::vector<Aggregation>& aggregations, const Json& facets, bool typed_keys,
                                 const std::vector<IndexTotal>& totals) {
  Json all = Json::object();
  for (const Aggregation& one : aggregations)
    if (!is_pipeline(one.kind))
      all[one.shown_name(typed_keys)] =
          one.of_index() ? FROND_EXPECT_OK(one.shown_by_index(totals)) : FROND_EXPECT_OK(one.shown(facets, typed_keys));
  FROND_EXPECT_OK(add_pipelines(aggregations, all, typed_keys));
  return all;
}

}  // namespace frond::broker::elasticsearch
