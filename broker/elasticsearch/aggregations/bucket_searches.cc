#include "broker/elasticsearch/aggregations/bucket_searches.h"

#include <algorithm>

#include "broker/elasticsearch/indices/catalogue.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

bool has_top_hits(const std::vector<Aggregation>& aggregations) {
  return std::ranges::any_of(aggregations,
                             [](const Aggregation& one) { return one.kind == "top_hits" || has_top_hits(one.inside); });
}

Json range_of(const std::string& field, Json bounds) { return {{"range", {{field, std::move(bounds)}}}}; }

// The documents of a bucket, as a query.
Expected<Json> bucket_query(const Aggregation& of, const Json& bucket, const std::string& key, std::size_t number) {
  const std::string& kind = of.kind;
  if (of.as.missing) return not_supported("[top_hits] in an aggregation with [missing]");
  const std::string field = of.field != nullptr ? of.field->name : "";
  const bool dates = of.field != nullptr && of.field->type == Type::kDate;
  if (kind == "terms" || kind == "rare_terms" || kind == "significant_terms") {
    if (dates) return range_of(field, {{"gte", bucket["key"]}, {"lte", bucket["key"]}, {"format", "epoch_millis"}});
    return Json{{"term", {{field, bucket.contains("key_as_string") ? bucket["key_as_string"] : bucket["key"]}}}};
  }
  if (kind == "filter") return of.definition;
  if (kind == "missing")  // of a field that this index may lack
    return Json{{"bool", {{"must_not", {{"exists", {{"field", of.definition["field"]}}}}}}}};
  if (kind == "sampler") return Json{{"match_all", Json::object()}};
  if (kind == "filters") {
    const Json& given = of.definition["filters"];
    if (given.is_object() && given.contains(key)) return given[key];
    if (given.is_array() && number < given.size()) return given[number];
  }
  if (kind == "range" || kind == "date_range") {
    Json bounds = Json::object();
    if (bucket.contains("from")) bounds["gte"] = bucket["from"];
    if (bucket.contains("to")) bounds["lt"] = bucket["to"];
    if (bounds.empty()) return Json{{"exists", {{"field", field}}}};
    for (auto& [name, bound] : bounds.items())
      if (dates) bound = bound.get<std::int64_t>();
    if (dates) bounds["format"] = "epoch_millis";
    return range_of(field, std::move(bounds));
  }
  if (kind == "histogram") {
    const double from = bucket["key"];
    return range_of(field, {{"gte", from}, {"lt", from + of.facet["histogram"]["interval"].get<double>()}});
  }
  if (kind == "date_histogram" && !of.facet["dates"].contains("zone")) {
    static const std::map<std::string, std::string> kSteps = {{"minute", "+1m"}, {"hour", "+1h"},  {"day", "+1d"},
                                                              {"week", "+7d"},   {"month", "+1M"}, {"year", "+1y"},
                                                              {"quarter", "+3M"}};
    const std::int64_t from = bucket["key"];
    const Json& interval = of.facet["dates"]["interval"];
    const std::int64_t to =
        interval.is_number()
            ? from + interval.get<std::int64_t>()
            : FROND_EXPECT_OK(parse_date_math(std::to_string(from) + "||" + kSteps.at(interval.get<std::string>()),
                                              "epoch_millis", DateReading()));
    return range_of(field, {{"gte", from}, {"lt", to}, {"format", "epoch_millis"}});
  }
  return not_supported("[top_hits] in a " + kind + " aggregation");
}

class Finder {
 public:
  Finder(const SearchAsk& ask, std::vector<BucketSearch>& to) : ask_(ask), to_(to) {}

  Expected<void> find(const std::vector<Aggregation>& aggregations, Json& shown, const std::vector<Json>& filters) {
    for (const Aggregation& one : aggregations) {
      const auto own = shown.find(one.shown_name(ask_.typed_keys));
      if (own == shown.end()) continue;
      if (one.kind == "top_hits") {
        if (to_.size() == kMaxBucketSearches)
          return not_supported("[top_hits] of more than " + std::to_string(kMaxBucketSearches) + " buckets");
        auto ask = FROND_EXPECT_OK(inner_ask(one.definition, ask_, filters));
        to_.push_back({&*own, std::move(ask)});
        continue;
      }
      if (!has_top_hits(one.inside)) continue;
      if (one.kind == "global") return not_supported("[top_hits] in a global aggregation");
      const auto buckets = own->find("buckets");
      if (buckets == own->end()) {
        FROND_EXPECT_OK(in_bucket(one, *own, "", 0, filters));
        continue;
      }
      std::size_t number = 0;
      for (auto& [key, bucket] : buckets->items()) FROND_EXPECT_OK(in_bucket(one, bucket, key, number++, filters));
    }
    return {};
  }

 private:
  Expected<void> in_bucket(const Aggregation& of, Json& bucket, const std::string& key, std::size_t number,
                           std::vector<Json> filters) {
    filters.push_back(FROND_EXPECT_OK(bucket_query(of, bucket, key, number)));
    return find(of.inside, bucket, filters);
  }

  const SearchAsk& ask_;
  std::vector<BucketSearch>& to_;
};

}  // namespace

Expected<SearchAsk> inner_ask(const Json& definition, const SearchAsk& of, const std::vector<Json>& filters) {
  static constexpr std::string_view kMembers =
      "from,size,sort,_source,docvalue_fields,fields,highlight,version,seq_no_primary_term,explain,track_scores,"
      "stored_fields";
  Json body = Json::object();
  for (const auto& [key, value] : definition.items()) {
    if (key == "name") continue;
    if (!is_listed(kMembers, key)) return not_supported("[" + key + "] of hits inside others");
    body[key] = value;
  }
  if (!body.contains("size")) body["size"] = 3;
  SearchAsk made = FROND_EXPECT_OK(read_search(body, {}));
  if (made.track_scores) return not_supported("[track_scores] of hits inside others");
  if (made.size == 0) return illegal_argument("numHits must be > 0");
  if (made.sorts_scores()) return not_supported("a [sort] by [_score] and others of hits inside others");
  if (made.from + made.size > kMaxInnerHits)
    return illegal_argument(
        "Inner result window is too large, the inner hit definition's [from + size] must be less "
        "than or equal to: [" +
        std::to_string(kMaxInnerHits) + "]");
  Json narrowed = {{"must", of.query.is_null() ? Json{{"match_all", Json::object()}} : of.query}};
  if (!filters.empty()) narrowed["filter"] = filters;
  made.query = {{"bool", std::move(narrowed)}};
  made.index_boosts = of.index_boosts;
  made.timeout_ms = of.timeout_ms;
  made.partial = of.partial;
  made.exact_total = ~std::uint64_t{0};
  made.total_as_number = of.total_as_number;
  return made;
}

Expected<std::vector<BucketSearch>> bucket_searches(const std::vector<Aggregation>& aggregations, Json& shown,
                                                    const SearchAsk& ask) {
  std::vector<BucketSearch> all;
  if (has_top_hits(aggregations))
    FROND_EXPECT_OK(typed([&] { return Finder(ask, all).find(aggregations, shown, {}); }));
  return all;
}

}  // namespace frond::broker::elasticsearch
