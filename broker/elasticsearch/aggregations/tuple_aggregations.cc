// composite and multi_terms: buckets of several fields together. Each source is a facet in the one before it, and one
// beside that for documents without a value, where these have buckets: ">0", ">0-", in them ">1", ">1-", …
#include <algorithm>

#include "broker/elasticsearch/aggregations/aggregation_reader.h"
#include "broker/elasticsearch/aggregations/pipeline_aggregations.h"
#include "common/elasticsearch/document.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

// Null comes first.
bool is_before(const std::vector<Json>& a, const std::vector<Json>& b, const std::vector<Aggregation>& sources) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return sources[i].as.descending ? b[i] < a[i] : a[i] < b[i];
  return false;
}

bool is_dated(const Aggregation& source) { return source.field->type == Type::kDate; }

Json key_of(const Aggregation& source, const Json& bucket) {
  if (source.kind == "terms") return is_dated(source) ? Json(ms_of(bucket["value"])) : bucket["value"];
  return is_dated(source) ? Json(ms_of(bucket["from"])) : Json(bucket["from"].get<double>());
}
Json shown_key(const Aggregation& source, const Json& key) {
  if (key.is_null() || !is_dated(source) || !source.definition.contains("format")) return key;
  const auto text = print_date(key, source.as.format, source.as.zone);
  return text ? Json(*text) : key;
}

struct Tuple {
  std::vector<Json> keys;
  const Json* bucket;
};

Expected<void> collect(const Aggregation& of, const Json& facets, std::vector<Json> above, std::vector<Tuple>& to) {
  const std::size_t level = above.size();
  const Aggregation& source = of.sources[level];
  const std::string name = (level == 0 ? of.name : "") + ">" + std::to_string(level);
  const auto add = [&](Json key, const Json& bucket) -> Expected<void> {
    auto keys = above;
    keys.push_back(std::move(key));
    const auto inner = bucket.find("facets");
    if (keys.size() < of.sources.size())
      return inner == bucket.end() ? Expected<void>() : collect(of, *inner, std::move(keys), to);
    to.push_back({std::move(keys), &bucket});
    return {};
  };
  if (const auto counted = facets.find(name); counted != facets.end()) {
    if (counted->value("other", 0) != 0)
      return not_supported("[" + of.kind + "] aggregation of more than " + std::to_string(query::kMaxFacetSize) +
                           " values of a field");
    for (const Json& bucket : (*counted)["buckets"]) FROND_EXPECT_OK(add(key_of(source, bucket), bucket));
  }
  if (const auto missing = facets.find(name + "-"); missing != facets.end() && (*missing)["count"] != 0)
    FROND_EXPECT_OK(add(nullptr, *missing));
  return {};
}

// A member of [after], to be compared with keys.
Expected<Json> after_of(const Aggregation& source, const Json& given) {
  if (given.is_null()) return given;
  if (is_dated(source) && given.is_string())
    return Json(FROND_EXPECT_OK(
        parse_date_math(given.get<std::string>(), source.as.format, DateReading{.zone = source.as.zone})));
  const auto wrong = [&] {
    return illegal_argument("Invalid value for [after." + source.name + "]: [" + dumped(given).substr(0, 100) + "]");
  };
  if (source.field->type == Type::kKeyword) {
    if (!given.is_string()) return wrong();
    return given;
  }
  if (given.is_number() && source.field->type != Type::kBoolean) return given;
  const auto value = value_of(*source.field, given);
  if (!value || !*value) return wrong();
  return std::visit([](const auto& one) { return Json(one); }, **value);
}

Expected<Json> composite_json(const Aggregation& of, std::vector<Tuple> tuples, bool typed) {
  std::ranges::sort(tuples, [&](const Tuple& a, const Tuple& b) { return is_before(a.keys, b.keys, of.sources); });
  std::vector<Json> after;
  if (of.definition.contains("after") && !tuples.empty())  // else perhaps of fields that the index lacks
    for (const Aggregation& source : of.sources) {
      after.push_back(FROND_EXPECT_OK(after_of(source, of.definition["after"].value(source.name, Json()))));
    }
  Json made = {{"buckets", Json::array()}};
  for (const Tuple& one : tuples) {
    if (!after.empty() && !is_before(after, one.keys, of.sources)) continue;
    if (made["buckets"].size() == of.as.size) break;
    Json bucket = {{"doc_count", (*one.bucket)["count"]}};
    for (std::size_t i = 0; i < one.keys.size(); ++i)
      bucket["key"][of.sources[i].name] = shown_key(of.sources[i], one.keys[i]);
    FROND_EXPECT_OK(add_inside(of, *one.bucket, typed, bucket));
    made["after_key"] = bucket["key"];
    made["buckets"].push_back(std::move(bucket));
  }
  return made;
}

Expected<Json> multi_terms_json(const Aggregation& of, const std::vector<Tuple>& tuples, bool typed) {
  const Json order = of.definition.value("order", Json{{"_count", "desc"}});
  if (!order.is_object() || order.size() != 1 || (order.begin().value() != "asc" && order.begin().value() != "desc"))
    return not_supported("this [order] of a multi_terms aggregation");
  const bool descending = order.begin().value() == "desc", by_key = order.begin().key() == "_key";
  std::vector<std::pair<std::vector<Json>, Json>> all;
  for (const Tuple& one : tuples) {
    Json bucket = {{"doc_count", (*one.bucket)["count"]}, {"key", Json::array()}};
    std::string text;
    for (std::size_t i = 0; i < one.keys.size(); ++i) {
      const Json& key = one.keys[i];
      const auto date = is_dated(of.sources[i]) ? print_date(key, of.sources[i].as.format) : std::nullopt;
      const Json shown = date ? Json(*date) : key;
      bucket["key"].push_back(shown);
      text += (i == 0 ? "" : "|") + (shown.is_string() ? shown.get<std::string>() : dumped(shown));
    }
    bucket["key_as_string"] = std::move(text);
    FROND_EXPECT_OK(add_inside(of, *one.bucket, typed, bucket));
    all.emplace_back(one.keys, std::move(bucket));
  }
  std::ranges::stable_sort(all, [&](const auto& a, const auto& b) {
    if (by_key) return descending ? b.first < a.first : a.first < b.first;
    const double x = number_at(a.second, order.begin().key()), y = number_at(b.second, order.begin().key());
    if (x != y) return descending ? x > y : x < y;
    return a.first < b.first;
  });
  std::vector<Json> buckets;
  for (auto& [keys, bucket] : all) buckets.push_back(std::move(bucket));
  const int error = of.as.error_bound(buckets.size());
  const std::uint64_t others = shown_terms(of.as, buckets, "doc_count");
  return Json{{"doc_count_error_upper_bound", error}, {"sum_other_doc_count", others}, {"buckets", std::move(buckets)}};
}

}  // namespace

Expected<Aggregation> AggregationReader::tuple_source(const std::string& name, const std::string& kind,
                                                      Json definition) {
  if (kind != "terms" && kind != "histogram" && kind != "date_histogram")
    return not_supported("[" + kind + "] of a composite aggregation");
  if (!definition.is_object()) return parsing_exception("[" + kind + "] of [" + name + "] must be an object");
  Aggregation source{.name = name, .kind = kind};
  const std::string order = FROND_EXPECT_OK(text_member(definition, "order", "asc"));
  if (order != "asc" && order != "desc") return illegal_argument("Unknown sort order: " + order);
  const bool with_missing = FROND_EXPECT_OK(flag_member(definition, "missing_bucket", false));
  if (FROND_EXPECT_OK(text_member(definition, "missing_order", "default")) != "default")
    return not_supported("[missing_order] of a composite aggregation");
  for (const char* const own : {"order", "missing_bucket", "missing_order"}) definition.erase(own);
  if (kind == "terms") {
    definition["size"] = query::kMaxFacetSize;
    definition["order"] = {{"_key", order}};
  } else {
    definition["min_doc_count"] = 1;
  }
  if (definition.contains("missing")) return not_supported("[missing] of a field of several");
  source.definition = std::move(definition);
  FROND_EXPECT_OK(fill(source));
  source.as.descending = order == "desc";
  if (with_missing && source.field == nullptr) return not_supported("[missing_bucket] of a field that the index lacks");
  if (with_missing) source.beside["-"] = {{"missing", {{"field", source.field->column}}}};
  return source;
}

Expected<void> AggregationReader::tuples(Aggregation& made) {
  const bool composite = made.kind == "composite";
  const auto size = FROND_EXPECT_OK(whole_member(made.definition, "size", 10));
  if (size <= 0) return illegal_argument("[size] must be a positive integer");
  made.as.size = static_cast<std::size_t>(size);
  if (!composite) FROND_EXPECT_OK(gathered(made));
  for (const auto& [key, value] : made.definition.items())
    if (key != "size" && key != (composite ? "sources" : "terms") && key != (composite ? "after" : "order") &&
        (composite || (key != "min_doc_count" && key != "shard_size" && key != "collect_mode")))
      return not_supported("[" + key + "] of a " + made.kind + " aggregation");
  const Json given = made.definition.value(composite ? "sources" : "terms", Json());
  if (!given.is_array() || given.empty() || (!composite && given.size() < 2))
    return illegal_argument("Composite [sources] cannot be null or empty");
  for (const Json& one : given) {
    if (!one.is_object() || one.empty()) return parsing_exception("a source must be an object");
    if (composite && std::ranges::find(made.sources, one.begin().key(), &Aggregation::name) != made.sources.end())
      return illegal_argument("Composite source names must be unique, found duplicates: [" + one.begin().key() + "]");
    if (!composite) {
      made.sources.push_back(FROND_EXPECT_OK(tuple_source("", "terms", one)));
      continue;
    }
    const Json& body = one.begin().value();
    if (one.size() != 1 || !body.is_object() || body.size() != 1)
      return parsing_exception("a source must have one name and one kind");
    made.sources.push_back(FROND_EXPECT_OK(tuple_source(one.begin().key(), body.begin().key(), body.begin().value())));
  }
  if (const auto after = made.definition.find("after"); after != made.definition.end()) {
    for (const Aggregation& one : made.sources)
      if (!after->is_object() || !after->contains(one.name))
        return illegal_argument("Missing value for [after." + one.name + "]");
    if (after->size() != made.sources.size())
      return illegal_argument("[after] has " + std::to_string(after->size()) + " value(s) but [sources] has " +
                              std::to_string(made.sources.size()));
  }
  if (const Json order = made.definition.value("order", Json()); order.is_object() && !order.empty())
    if (!leads_to_number(made.inside, order.begin().key()))
      return illegal_argument("Invalid aggregation order path [" + order.begin().key() + "]");
  if (std::ranges::any_of(made.sources, [](const Aggregation& one) { return one.field == nullptr; })) return {};
  Json inside = facets_json(made.inside);
  for (std::size_t i = made.sources.size(); i-- > 0;) {
    const std::string name = ">" + std::to_string(i);
    Json level = {{name, made.sources[i].facet}};
    for (const auto& [suffix, facet] : made.sources[i].beside) level[name + suffix] = facet;
    if (!inside.empty())
      for (auto& [key, facet] : level.items()) facet["facets"] = inside;
    inside = std::move(level);
  }
  made.beside = inside.get<std::map<std::string, Json>>();
  return {};
}

Expected<Json> tuples_json(const Aggregation& of, const Json& facets, bool typed_keys) {
  std::vector<Tuple> tuples;
  if (facets.is_object() && !of.beside.empty()) FROND_EXPECT_OK(collect(of, facets, {}, tuples));
  return of.kind == "composite" ? composite_json(of, std::move(tuples), typed_keys)
                                : multi_terms_json(of, tuples, typed_keys);
}

}  // namespace frond::broker::elasticsearch
