// Aggregations over ranges and intervals.
#include <algorithm>
#include <cmath>

#include "broker/elasticsearch/aggregations/aggregation_reader.h"
#include "common/base/text.h"
#include "common/elasticsearch/date_format.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

// Documents without a value.
Json missing_clause(const MappedField& field) {
  const Json exists = {{"exists", {{"field", field.column}}}};
  return {{"bool", {{"must_not", Json::array({exists})}}}};
}

}  // namespace

Expected<void> AggregationReader::ranges(Aggregation& made) {
  const bool dates = made.field == nullptr ? made.kind == "date_range" : made.field->type == Type::kDate;
  if (made.definition.contains("format") && !dates) return not_supported("[format] of a " + made.kind + " aggregation");
  DateReading reading;
  reading.now_ms = scope_.now_ms;
  reading.zone = made.as.zone;
  const auto bound = [&](const Json& json) -> Expected<Json> {
    if (dates)
      return Json(FROND_EXPECT_OK(
          parse_date_math(json.is_string() ? json.get<std::string>() : dumped(json), made.as.format, reading)));
    char* end = nullptr;
    if (json.is_number()) return Json(json.get<double>());
    const double value = json.is_string() ? std::strtod(json.get_ref<const std::string&>().c_str(), &end) : 0;
    if (end == nullptr || *end != '\0' || !std::isfinite(value))
      return illegal_argument("[" + made.kind + "] failed to parse field [from]");
    return Json(value);
  };
  const Json given = made.definition.contains("ranges") ? made.definition["ranges"] : Json();
  if (!given.is_array() || given.empty())
    return illegal_argument("No [ranges] specified for the [" + made.name + "] aggregation");
  for (const Json& one : given) {
    if (!one.is_object()) return parsing_exception("[ranges] must be objects");
    Json range = Json::object();
    for (const auto& [key, value] : one.items()) {
      if (value.is_null()) continue;
      if (key == "from" || key == "to")
        range[key] = FROND_EXPECT_OK(bound(value));
      else if (key == "key")
        range[key] = FROND_EXPECT_OK(text_member(one, "key", ""));
      else
        return not_supported("[" + key + "] of a range");
    }
    made.ranges.push_back(std::move(range));
  }
  const auto limit = [](const Json& range, const char* name, double otherwise) {
    return range.contains(name) ? range[name].get<double>() : otherwise;
  };
  std::ranges::stable_sort(made.ranges, [&](const Json& a, const Json& b) {
    return std::pair(limit(a, "from", -INFINITY), limit(a, "to", INFINITY)) <
           std::pair(limit(b, "from", -INFINITY), limit(b, "to", INFINITY));
  });
  if (made.field == nullptr) return {};  // no document has a value
  std::optional<double> missing;
  if (made.definition.contains("missing")) missing = FROND_EXPECT_OK(bound(made.definition["missing"])).get<double>();
  std::vector<Json> clauses;
  for (const Json& range : made.ranges) {
    Json bounds = Json::object();
    if (range.contains("from")) bounds["gte"] = range["from"];
    if (range.contains("to")) bounds["lt"] = range["to"];
    Json one =
        bounds.empty() ? Json{{"exists", {{"field", made.field->name}}}} : FROND_EXPECT_OK(range_clause(made, bounds));
    if (bounds.empty()) one = FROND_EXPECT_OK(clause(one));
    if (missing && *missing >= limit(range, "from", -INFINITY) && *missing < limit(range, "to", INFINITY))
      one = {{"bool", {{"should", Json::array({one, missing_clause(*made.field)})}}}};
    clauses.push_back(std::move(one));
  }
  use(made, clauses);
  return {};
}

Expected<Json> AggregationReader::range_clause(const Aggregation& made, Json bounds) {
  if (made.field->type == Type::kDate) bounds["format"] = "epoch_millis";
  if (made.field->type == Type::kBoolean) return not_supported("[range] over [" + made.field->name + "], a boolean,");
  // Bounds beyond all whole numbers bound nothing.
  if (is_whole(made.field->type)) {
    const double end = made.field->type == Type::kInteger ? 0x1p31 : 0x1p63;
    const Json from = bounds.value("gte", Json(-end)), to = bounds.value("lt", Json(end));
    if (from >= end || to < -end) return clause({{"match_none", Json::object()}});
    if (from < -end) bounds.erase("gte");
    if (to >= end) bounds.erase("lt");
  }
  return clause({{"range", {{made.field->name, std::move(bounds)}}}});
}

Expected<void> AggregationReader::histogram(Aggregation& made) {
  Json interval = made.definition["interval"];  // above 0: members()
  if (interval.is_string()) interval = *number_in<double>(interval.get_ref<const std::string&>());
  for (const auto& [key, value] : made.definition.items())
    if (key != "field" && key != "interval" && key != "keyed" && key != "min_doc_count" && key != "order" &&
        key != "missing" && !(key == "offset" && value == 0))
      return not_supported("[" + key + "] of a histogram aggregation");
  const auto least = FROND_EXPECT_OK(whole_member(made.definition, "min_doc_count", 0));
  made.facet = {{"histogram", {{"field", made.field->column}, {"interval", interval}, {"min_count", least}}}};
  return {};
}

Expected<void> AggregationReader::dates(Aggregation& made) {
  static constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"minute", "1m"}, {"hour", "1h"},    {"day", "1d"}, {"week", "1w"},
      {"month", "1M"},  {"quarter", "1q"}, {"year", "1y"}};
  const auto least = FROND_EXPECT_OK(whole_member(made.definition, "min_doc_count", 0));
  Json facet = {{"field", made.field->column}, {"min_count", least}};
  for (const auto& [key, value] : made.definition.items()) {
    if (key == "field" || key == "keyed" || key == "order" || key == "min_doc_count" || key == "extended_bounds" ||
        key == "hard_bounds" || key == "missing")
      continue;
    const std::string text = value.is_string() ? value.get<std::string>() : dumped(value);
    if (key == "calendar_interval" || key == "fixed_interval" || key == "interval") {
      const auto unit =
          std::ranges::find_if(kUnits, [&](const auto& one) { return one.first == text || one.second == text; });
      const auto ms = duration_ms(text);
      if (facet.contains("interval")) return illegal_argument("Cannot use [" + key + "] with another interval.");
      if (key != "fixed_interval" && unit != std::end(kUnits))
        facet["interval"] = unit->first;
      else if (key != "calendar_interval" && ms && *ms > 0)
        facet["interval"] = *ms;
      else if (key == "interval" && value.is_number_integer() && value > 0 && value <= kMostDurationMs)
        facet["interval"] = value;
      else if (key != "fixed_interval" && (text == "second" || text == "1s"))
        facet["interval"] = 1000;
      else
        return illegal_argument("The supplied interval [" + text + "] could not be parsed as a " +
                                (key == "fixed_interval" ? "fixed" : "calendar") + " interval.");
    } else if (key == "offset" && duration_ms(text)) {
      facet["offset"] = *duration_ms(text);
    } else if (key == "time_zone") {
      if (text != "Z" && text != "UTC") facet["zone"] = text;
    } else if (key == "format") {
      continue;
    } else {
      return not_supported("[" + key + "] " + text + " of a date_histogram aggregation");
    }
  }
  if (!facet.contains("interval"))
    return illegal_argument("Invalid interval specified, must be non-null and non-empty");
  made.facet = {{"dates", std::move(facet)}};
  return bounds(made);
}

Expected<void> AggregationReader::percentiles(Aggregation& made) {
  for (const auto& [key, value] : made.definition.items())
    if (key != "field" && key != "percents" && key != "keyed" && key != "tdigest" && key != "compression" &&
        key != "missing" && !(key == "format" && made.field->type == Type::kDate))
      return not_supported("[" + key + "] of a percentiles aggregation");
  made.as.by_values = scope_.documents <= query::kMaxFacetSize;
  made.facet = {{"percentiles", {{"field", made.field->column}, {"percents", made.as.percents}}}};
  return {};
}

}  // namespace frond::broker::elasticsearch
