#include "broker/elasticsearch/aggregations/aggregations.h"

#include <algorithm>

#include "broker/elasticsearch/aggregations/aggregation_reader.h"
#include "broker/elasticsearch/aggregations/pipeline_aggregations.h"
#include "common/elasticsearch/document.h"
#include "common/elasticsearch/json_body.h"
#include "common/query/json/clause_json.h"

namespace frond::broker::elasticsearch {
namespace {

constexpr std::string_view kMetrics[] = {"avg", "cardinality", "extended_stats",   "max",   "median_absolute_deviation",
                                         "min", "percentiles", "percentile_ranks", "stats", "string_stats",
                                         "sum", "top_hits",    "value_count"};
constexpr std::string_view kBuckets[] = {"adjacency_matrix", "composite",         "date_histogram", "date_range",
                                         "filter",           "filters",           "global",         "histogram",
                                         "missing",          "multi_terms",       "range",          "rare_terms",
                                         "sampler",          "significant_terms", "terms"};
constexpr std::string_view kOtherAggregations[] = {"auto_date_histogram",
                                                   "bucket_script",
                                                   "bucket_selector",
                                                   "boxplot",
                                                   "categorize_text",
                                                   "children",
                                                   "diversified_sampler",
                                                   "frequent_item_sets",
                                                   "geo_bounds",
                                                   "geo_centroid",
                                                   "geohash_grid",
                                                   "geotile_grid",
                                                   "ip_range",
                                                   "matrix_stats",
                                                   "moving_avg",
                                                   "moving_fn",
                                                   "nested",
                                                   "parent",
                                                   "rate",
                                                   "reverse_nested",
                                                   "scripted_metric",
                                                   "significant_text",
                                                   "t_test",
                                                   "top_metrics",
                                                   "variable_width_histogram",
                                                   "weighted_avg"};

constexpr std::size_t kMaxMatrixFilters = 100;

// A facet of all documents that are counted.
const Json kAll = {{"match_all", Json::object()}};

bool contains(auto&& list, std::string_view name) { return std::ranges::find(list, name) != std::end(list); }

bool counts_repeats(std::string_view kind) {
  return contains(kMetrics, kind) && kind != "cardinality" && kind != "max" && kind != "min";
}

}  // namespace

Expected<std::vector<Aggregation>> AggregationReader::read(const Json& json, std::size_t depth) {
  if (!json.is_object()) return parsing_exception("[aggs] must be an object");
  if (depth > query::kMaxFacetDepth)
    return not_supported("more than " + std::to_string(query::kMaxFacetDepth) + " aggregations inside each other");
  std::vector<Aggregation> all;
  for (const auto& [name, body] : json.items()) {
    if (name.empty() || name.find_first_of("[]>") != name.npos)
      return parsing_exception("Invalid aggregation name [" + name +
                               "]. Aggregation names can contain any character except '[', ']', and '>'");
    if (!body.is_object())
      return parsing_exception("Aggregation definition for [" + name +
                               "] starts with a value, expected a START_OBJECT");
    all.push_back(FROND_EXPECT_OK(one(name, body, depth)));
  }
  FROND_EXPECT_OK(check_paths(all));
  return all;
}

Expected<Aggregation> AggregationReader::one(const std::string& name, const Json& body, std::size_t depth) {
  Aggregation made{.name = name, .kind = {}};
  Json inner;
  for (const auto& [key, value] : body.items()) {
    if (key == "aggs" || key == "aggregations") {
      inner = value;
    } else if (key == "meta") {
      made.meta = value;
    } else {
      if (!made.kind.empty())
        return parsing_exception("Found two aggregation type definitions in [" + name + "]: [" + made.kind + "] and [" +
                                 key + "]");
      made.kind = key;
      made.definition = value;
    }
  }
  if (made.kind.empty()) return parsing_exception("Missing definition for aggregation [" + name + "]");
  const bool metric = contains(kMetrics, made.kind) || is_pipeline(made.kind);
  if (!metric && !contains(kBuckets, made.kind)) {
    if (contains(kOtherAggregations, made.kind)) return not_supported("[" + made.kind + "] aggregation");
    return parsing_exception("Unknown aggregation type [" + made.kind + "]");
  }
  if (!made.definition.is_object()) return parsing_exception("[" + made.kind + "] of [" + name + "] must be an object");
  if (!inner.is_null()) {
    if (metric)
      return ApiError{.type = "aggregation_initialization_exception",
                      .reason = "Aggregator [" + name + "] of type [" + made.kind + "] cannot accept sub-aggregations"};
    made.inside = FROND_EXPECT_OK(read(inner, depth + 1));
  }
  FROND_EXPECT_OK(check_parent(made));
  if (made.kind == "top_hits") return made;  // searches of its own (search_stages.h)
  if (is_pipeline(made.kind)) {
    FROND_EXPECT_OK(check_pipeline(made, depth == 1));
    return made;
  }
  if (made.of_index()) {
    if (depth > 1) return not_supported("terms of [_index] inside another aggregation");
    for (const auto& [key, value] : made.definition.items())
      if (key != "field" && key != "size" && key != "order" && key != "shard_size")
        return not_supported("[" + key + "] of terms of [_index]");
    FROND_EXPECT_OK(members(made));
    return made;
  }
  if (made.kind == "terms" && depth > 1 && made.definition.value("min_doc_count", Json(1)) == 0)
    return not_supported("[min_doc_count] 0 inside another aggregation");
  if (made.kind == "composite" || made.kind == "multi_terms") {
    if (made.kind == "composite" && depth > 1)
      return illegal_argument("[composite] aggregation cannot be used with a parentAggregation");
    FROND_EXPECT_OK(tuples(made));
    return made;
  }
  const Json inside = facets_json(made.inside);
  if (made.kind == "global" || made.kind == "significant_terms" || made.kind == "sampler") {
    FROND_EXPECT_OK(over_all(made, depth));
  } else {
    FROND_EXPECT_OK(fill(made));
  }
  if (inside.empty()) return made;
  if (!made.facet.is_null()) made.facet["facets"] = inside;
  if (const auto missing = made.beside.find(">missing"); missing != made.beside.end())
    missing->second["facets"] = inside;
  if (made.kind == "global") made.everywhere[""]["facets"] = inside;
  return made;
}

Expected<void> AggregationReader::over_all(Aggregation& made, std::size_t depth) {
  const auto everything = FROND_EXPECT_OK(clause(kAll));
  const Json all = {{"filter", {{"query", everything}}}};
  if (made.kind == "sampler") {
    made.as.size = static_cast<std::size_t>(
        std::max<std::int64_t>(FROND_EXPECT_OK(whole_member(made.definition, "shard_size", 100)), 0));
    made.facet = all;
    return {};
  }
  if (depth > 1)
    return made.kind == "global" ? ApiError{.type = "aggregation_execution_exception",
                                            .reason = "Aggregation instance [" + made.name +
                                                      "] must not be embedded inside another aggregation"}
                                 : not_supported("[significant_terms] inside another aggregation");
  if (made.kind == "global") {
    made.everywhere[""] = all;
    return {};
  }
  FROND_EXPECT_OK(fill(made));
  if (made.facet.is_null()) return {};
  made.beside[">all"] = all;
  made.everywhere[">values"] = made.facet;
  made.everywhere[">count"] = all;
  return {};
}

Expected<void> AggregationReader::fill(Aggregation& made) {
  if (made.kind == "filter") {
    const auto query = FROND_EXPECT_OK(clause(made.definition));
    made.facet = {{"filter", {{"query", query}}}};
    return {};
  }
  if (made.kind == "filters" || made.kind == "adjacency_matrix") return filters(made);
  for (const char* const key : {"script", "value_type"})
    if (made.definition.contains(key))
      return not_supported("[" + std::string(key) + "] of a " + made.kind + " aggregation");
  const auto name = made.definition.find("field");
  if (name == made.definition.end() || !name->is_string())
    return illegal_argument("Required one of fields [field, script], but none were specified.");
  made.field = scope_.mapping.find(name->get<std::string>());
  if (made.field == nullptr && name->get_ref<const std::string&>().starts_with('_'))
    return not_supported("[" + name->get<std::string>().substr(0, 100) + "] as the field of a " + made.kind +
                         " aggregation");
  FROND_EXPECT_OK(members(made));
  if (made.field == nullptr) return unmapped(made);
  const Type type = made.field->terms_only ? Type::kKeyword : made.field->type;
  if (!made.field->has_values())
    return illegal_argument(
        "Text fields are not optimised for operations that require per-document field data like aggregations and "
        "sorting, "
        "so these operations are disabled by default. Please use a keyword field instead: [" +
        made.field->name + "]");
  const auto unfit = [&] {
    return illegal_argument("Field [" + made.field->name + "] of type [" + std::string(name_of(type)) +
                            "] is not supported for aggregation [" + made.kind + "]");
  };
  FROND_EXPECT_OK(missing(made));
  // Columns have each value of a document once, while these count repeats: the answer tells whether there may be some.
  made.repeats = type != Type::kKeyword && counts_repeats(made.kind);
  if (made.kind == "terms") return terms(made);
  if (made.kind == "rare_terms" || made.kind == "significant_terms") return special_terms(made);
  if (made.kind == "missing") {
    made.facet = {{"missing", {{"field", made.field->column}}}};
    return {};
  }
  if (made.kind == "percentiles") FROND_EXPECT_OK(percentiles(made));
  if (is_over_values(made)) {
    if ((type == Type::kKeyword) != (made.kind == "string_stats")) return unfit();
    made.facet = {{"values", {{"field", made.field->column}, {"size", query::kMaxFacetSize}}}};
    return {};
  }
  if (made.kind == "cardinality" || made.kind == "value_count") return counts(made);
  if (type == Type::kKeyword) return unfit();
  if (made.kind == "range" || made.kind == "date_range")
    return made.kind == "date_range" && type != Type::kDate ? Expected<void>(unfit()) : ranges(made);
  if (type == Type::kBoolean) return not_supported("[" + made.kind + "] aggregation of a boolean");
  if (made.kind == "histogram")
    return type == Type::kDate ? Expected<void>(not_supported("[histogram] aggregation of dates")) : histogram(made);
  if (made.kind == "date_histogram") return type != Type::kDate ? Expected<void>(unfit()) : dates(made);
  if (made.kind == "percentiles") return {};
  made.facet = {{"stats", {{"field", made.field->column}}}};
  return {};
}

Expected<Json> AggregationReader::clause(const Json& json) {
  const auto read = FROND_EXPECT_OK(QueryReader(scope_).read(json, 1, /*scored=*/false));
  return Json::parse(query::clause_json(read));
}

void AggregationReader::use(Aggregation& made, const std::vector<Json>& clauses) {
  Json queries = Json::object();
  for (std::size_t i = 0; i < clauses.size(); ++i) queries[std::to_string(i)] = clauses[i];
  made.facet = {{"filters", {{"queries", std::move(queries)}}}};
}

Expected<void> AggregationReader::filters(Aggregation& made) {
  const bool matrix = made.kind == "adjacency_matrix";
  const Json given = made.definition.contains("filters") ? made.definition["filters"] : Json();
  if (!given.is_structured() || given.empty()) return parsing_exception("[filters] cannot be empty");
  if (matrix && !given.is_object()) return parsing_exception("[filters] of an adjacency_matrix must be an object");
  if (matrix && given.size() > kMaxMatrixFilters)
    return illegal_argument("Number of filters is too large, must be less than or equal to: [" +
                            std::to_string(kMaxMatrixFilters) + "] but was [" + std::to_string(given.size()) + "]");
  if (!FROND_EXPECT_OK(flag_member(made.definition, "keyed", true)))
    return not_supported("[keyed] of a filters aggregation");
  std::vector<Json> clauses;
  Json none = Json::array();
  for (const auto& [key, value] : given.items()) {
    clauses.push_back(FROND_EXPECT_OK(clause(value)));
    none.push_back(clauses.back());
    made.ranges.push_back(given.is_object() ? Json(key) : Json());
  }
  const std::size_t single = clauses.size();
  if (matrix) {
    const std::string separator = FROND_EXPECT_OK(text_member(made.definition, "separator", "&"));
    for (std::size_t i = 0; i < single; ++i)
      for (std::size_t j = i + 1; j < single; ++j) {
        clauses.push_back({{"bool", {{"filter", Json::array({clauses[i], clauses[j]})}}}});
        made.ranges.push_back(made.ranges[i].get<std::string>() + separator + made.ranges[j].get<std::string>());
      }
  } else if (FROND_EXPECT_OK(flag_member(made.definition, "other_bucket", false)) ||
             made.definition.contains("other_bucket_key")) {
    clauses.push_back({{"bool", {{"must_not", none}}}});
    const auto key = FROND_EXPECT_OK(text_member(made.definition, "other_bucket_key", "_other_"));
    made.ranges.push_back(given.is_object() ? Json(key) : Json());
  }
  use(made, clauses);
  return {};
}

Expected<void> AggregationReader::terms(Aggregation& made) {
  Json facet = {{"field", made.field->column}};
  for (const auto& [key, value] : made.definition.items()) {
    if (key == "field" || key == "shard_size" || key == "execution_hint" || key == "collect_mode" || key == "size" ||
        key == "missing" || (key == "shard_min_doc_count" && (value == 0 || value == 1)) ||
        (key == "show_term_doc_count_error" && value == false))
      continue;
    if (key == "min_doc_count" && value.is_number_integer() && (value > 0 || (value == 0 && all_match_))) {
      continue;  // shown_terms()
    } else if (key == "order") {
      facet["order"] = FROND_EXPECT_OK(order(value, made));
    } else if (key == "exclude" || key == "include") {
      facet["size"] = query::kMaxFacetSize;  // all are needed to choose among them
    } else {
      return not_supported("[" + key + "] of a terms aggregation");
    }
  }
  if (made.as.size > query::kMaxFacetSize)
    return not_supported("a terms aggregation of more than " + std::to_string(query::kMaxFacetSize) + " buckets");
  if (!facet.contains("size")) facet["size"] = std::min<std::size_t>(made.as.gathered, query::kMaxFacetSize);
  made.facet = {{"values", std::move(facet)}};
  return {};
}

Expected<Json> AggregationReader::order(const Json& json, const Aggregation& made) {
  if (json.is_array()) {
    if (json.size() == 1 || (json.size() == 2 && json[1] == Json{{"_key", "asc"}})) return order(json[0], made);
    return not_supported("several orders of a terms aggregation");
  }
  if (json.is_object() && json.size() > 1) return not_supported("several orders in one object");
  if (!json.is_object() || json.empty() || !json.begin().value().is_string())
    return parsing_exception("Must specify at least one field for [order]");
  const std::string by = json.begin().key(), how = json.begin().value();
  if (how != "asc" && how != "desc") return parsing_exception("Unknown order direction [" + how + "]");
  if (by == "_count") return Json("_count:" + how);
  if (by == "_key" || by == "_term") return Json("_value:" + how);
  if (by.find_first_of(">[") != by.npos) return not_supported("an order by [" + by + "]");
  const std::size_t dot = by.find('.');
  const std::string name = by.substr(0, dot), part = dot == by.npos ? "" : by.substr(dot + 1);
  const auto child = std::ranges::find(made.inside, name, &Aggregation::name);
  if (child == made.inside.end())
    return illegal_argument(
        "Invalid aggregation order path [" + by + "]. The provided aggregation [" + name +
        "] either does not exist, or is a pipeline aggregation and cannot be used to sort the buckets.");
  if (child->facet.is_null()) return Json("_value:asc");  // of a field that the index lacks: nothing to order by
  const std::string kind = child->kind == "stats" ? part : child->kind;
  for (const auto& [theirs, ours] :
       {std::pair("avg", "mean"), {"min", "min"}, {"max", "max"}, {"sum", "sum"}, {"count", "count"}})
    if (kind == theirs) return Json(name + "." + ours + ":" + how);
  if (kind == "cardinality") return Json(name + ".value:" + how);
  return not_supported("an order by [" + by + "]");
}

// What is counted for documents without a value, beside the others.
Expected<void> AggregationReader::missing(Aggregation& made) {
  const auto given = made.definition.find("missing");
  if (given == made.definition.end() || made.kind == "range" || made.kind == "date_range") return {};
  if (made.kind == "rare_terms" || made.kind == "significant_terms")
    return not_supported("[missing] of a " + made.kind + " aggregation");
  if (made.field->type == Type::kDate && given->is_string()) {
    DateReading reading;
    reading.now_ms = scope_.now_ms;
    made.as.missing = FROND_EXPECT_OK(parse_date_math(given->get<std::string>(), made.field->format, reading));
  } else {
    made.as.missing = FROND_EXPECT_OK(value_of(*made.field, *given));
  }
  if (!made.as.missing) return illegal_argument("[missing] of [" + made.name + "] is no value");
  made.beside[">missing"] = {{"missing", {{"field", made.field->column}}}};
  if (made.kind == "cardinality") {
    const auto same = FROND_EXPECT_OK(clause({{"term", {{made.field->name, *given}}}}));
    made.beside[">same"] = {{"filter", {{"query", same}}}};
  }
  return {};
}

Expected<void> AggregationReader::special_terms(Aggregation& made) {
  const bool rare = made.kind == "rare_terms";
  for (const auto& [key, value] : made.definition.items())
    if (key != "field" && key != "include" && key != "exclude" &&
        !(rare && (key == "max_doc_count" || key == "precision")) &&
        !(!rare && (key == "size" || key == "min_doc_count" || key == "shard_size" || key == "jlh")))
      return not_supported("[" + key + "] of a " + made.kind + " aggregation");
  made.facet = {{"values", {{"field", made.field->column}, {"size", query::kMaxFacetSize}}}};
  if (rare) made.facet["values"]["order"] = "_count:asc";
  return {};
}

Expected<void> AggregationReader::counts(Aggregation& made) {
  const bool distinct = made.kind == "cardinality";
  const bool of_numbers = is_number(made.field->type) || made.field->type == Type::kDate;
  made.facet = {{distinct ? "distinct" : of_numbers ? "stats" : "count", {{"field", made.field->column}}}};
  return {};
}

Expected<std::vector<Aggregation>> read_aggregations(const Json& json, QueryScope& scope, bool all_match) {
  return AggregationReader(scope, all_match).read(json, 1);
}

Json facets_json(const std::vector<Aggregation>& aggregations) {
  Json all = Json::object();
  for (const Aggregation& one : aggregations) {
    if (!one.facet.is_null()) all[one.name] = one.facet;
    for (const auto& [suffix, facet] : one.beside) all[one.name + suffix] = facet;
    if (one.repeats) all[kEach + one.field->column] = {{"count", {{"field", one.field->column}}}};
  }
  return all;
}

namespace {

Expected<std::vector<query::Facet>> facets_in(const Json& all) {
  if (all.empty()) return std::vector<query::Facet>();
  auto facets = query::read_facets(schema_json(all), "facets");
  if (!facets) return not_supported("this aggregation (" + facets.error().message() + ")");
  return *std::move(facets);
}

}  // namespace

Expected<std::vector<query::Facet>> facets_of(const std::vector<Aggregation>& aggregations) {
  return facets_in(facets_json(aggregations));
}

Expected<std::vector<query::Facet>> facets_everywhere(const std::vector<Aggregation>& aggregations) {
  Json all = Json::object();
  for (const Aggregation& one : aggregations)
    for (const auto& [suffix, facet] : one.everywhere) all[one.name + suffix] = facet;
  return facets_in(all);
}

}  // namespace frond::broker::elasticsearch
