// Members of aggregations that say how the answer is shown.
#include <cmath>

#include "broker/elasticsearch/aggregations/aggregation_reader.h"
#include "broker/elasticsearch/hits/hit_json.h"
#include "common/base/text.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

constexpr std::size_t kMaxChosen = 1024;  // values of include and of exclude
constexpr std::size_t kMaxPercents = 1000;
constexpr std::uint64_t kMaxEmptyBuckets = 10'000;  // between extended bounds

double number_or_text(const Json& json, const char* name) {
  const Json value = json.value(name, Json());
  const double number = value.is_string()   ? number_in<double>(value.get_ref<const std::string&>()).value_or(0)
                        : value.is_number() ? value.get<double>()
                                            : 0;
  return std::isfinite(number) ? number : 0;  // "inf" is a text of a number, too
}

bool has_intervals(const Aggregation& made) { return made.kind == "histogram" || made.kind == "date_histogram"; }

Expected<std::optional<std::set<std::string>>> chosen(const Json& definition, const char* name) {
  using Chosen = std::optional<std::set<std::string>>;
  const auto found = definition.find(name);
  if (found == definition.end()) return Chosen();
  if (found->is_string()) return Chosen();
  if (!found->is_array())
    return not_supported("[" + std::string(name) + "] of a terms aggregation that is no list and no pattern");
  if (found->size() > kMaxChosen)
    return illegal_argument("[" + std::string(name) + "] has more than " + std::to_string(kMaxChosen) + " values");
  std::set<std::string> all;
  for (const Json& one : *found) all.insert(bucket_text(one));
  return Chosen(std::move(all));
}

Expected<std::optional<LuceneRegexp>> pattern_in(const Json& definition, const char* name) {
  using Pattern = std::optional<LuceneRegexp>;
  const auto found = definition.find(name);
  if (found == definition.end() || !found->is_string()) return Pattern();
  return Pattern(FROND_EXPECT_OK(LuceneRegexp::parse(found->get_ref<const std::string&>())));
}

Expected<std::vector<double>> percents_in(const Json& definition, bool ranks) {
  const auto found = definition.find(ranks ? "values" : "percents");
  if (ranks && found == definition.end()) return illegal_argument("[values] must not be null");
  if (found == definition.end()) return std::vector<double>{1, 5, 25, 50, 75, 95, 99};
  if (!found->is_array() || found->empty() || found->size() > kMaxPercents)
    return illegal_argument("[percents] must be a list of 1 to " + std::to_string(kMaxPercents) + " numbers");
  std::vector<double> all;
  for (const Json& one : *found) {
    const auto number = one.is_number()   ? std::optional(one.get<double>())
                        : one.is_string() ? number_in<double>(one.get_ref<const std::string&>())
                                          : std::nullopt;
    if (number && !std::isfinite(*number))
      return illegal_argument("percent must be a finite number, got [" + dumped(one).substr(0, 100) + "]");
    if (!number || (!ranks && !(*number >= 0 && *number <= 100)))
      return illegal_argument("percent must be in [0,100], got [" + dumped(one).substr(0, 100) + "]");
    all.push_back(*number);
  }
  return all;
}

// {"_key":"desc"}, alone or in a list.
Expected<void> read_order(Aggregation& made) {
  const auto given = made.definition.find("order");
  if (given == made.definition.end()) return {};
  const Json& one = given->is_array() && given->size() == 1 ? (*given)[0] : *given;
  if (given->is_array() && given->size() != 1)
    return not_supported("several orders of a " + made.kind + " aggregation");
  if (!one.is_object() || one.size() != 1 || !one.begin().value().is_string())
    return parsing_exception("Must specify at least one field for [order]");
  const std::string by = one.begin().key(), how = one.begin().value();
  if (how != "asc" && how != "desc") return parsing_exception("Unknown order direction [" + how + "]");
  if (by != "_count" && by != "_key")
    return not_supported("[order] of a " + made.kind + " aggregation by [" + by + "]");
  made.as.by_count = by == "_count";
  made.as.descending = how == "desc";
  return {};
}

}  // namespace

// Numbers are chosen by their values alone.
Expected<void> AggregationReader::check_choice(const Aggregation& made) {
  const Json include = made.definition.value("include", Json()), exclude = made.definition.value("exclude", Json());
  if ((include.is_string() && exclude.is_array()) || (include.is_array() && exclude.is_string()))
    return illegal_argument("[include] and [exclude] must both be patterns, or both be values");
  const Json hint = made.definition.value("execution_hint", Json());
  if (made.field == nullptr) return {};
  if (made.field->has_words())
    return hint.is_null() || hint == "map" || hint == "global_ordinals"
               ? Expected<void>()
               : illegal_argument("Unknown `execution_hint`: [" + text_in(hint).substr(0, 100) +
                                  "], expected any of [map, global_ordinals]");
  for (const Json& given : {include, exclude}) {
    if (given.is_string())
      return illegal_argument("Aggregation [" + made.name +
                              "] cannot support regular expression style include/exclude settings as they can only be "
                              "applied to string fields");
    if (given.is_array())
      for (const Json& one : given) FROND_EXPECT_OK(value_of(*made.field, one));
  }
  return {};
}

Expected<void> AggregationReader::members(Aggregation& made) {
  const Json& json = made.definition;
  ShownAs& as = made.as;
  const bool date = made.field != nullptr && made.field->type == Type::kDate;
  if (date) as.format = made.field->format;
  as.format = FROND_EXPECT_OK(text_member(json, "format", as.format));
  if (date && json.contains("format") && !print_date(0, as.format))
    return not_supported("[format] " + as.format.substr(0, 100) + " of a " + made.kind + " aggregation");
  const std::string zone = FROND_EXPECT_OK(text_member(json, "time_zone", "Z"));
  as.zone = FROND_EXPECT_OK(zone_named(zone));
  as.keyed = FROND_EXPECT_OK(flag_member(json, "keyed", made.kind.starts_with("percentile")));
  if (made.field == nullptr && json.contains("missing"))
    return not_supported("[missing] of a field that the index lacks");
  static const std::map<std::string_view, std::string_view> kMembers = {
      {"avg", "field,missing,format"},
      {"max", "field,missing,format"},
      {"min", "field,missing,format"},
      {"sum", "field,missing,format"},
      {"stats", "field,missing,format"},
      {"value_count", "field,missing"},
      {"cardinality", "field,missing,precision_threshold,execution_hint,rehash"},
      {"extended_stats", "field,missing,sigma"},
      {"median_absolute_deviation", "field,missing,compression"},
      {"percentile_ranks", "field,missing,values,keyed,tdigest"},
      {"string_stats", "field,missing"},
      {"missing", "field"},
      {"range", "field,ranges,keyed,missing,format"},
      {"date_range", "field,ranges,keyed,missing,format,time_zone"}};
  const auto known = kMembers.find(made.kind);
  if (known != kMembers.end())
    for (const auto names = split_list(known->second); const auto& [key, value] : json.items())
      if (std::ranges::find(names, key) == names.end())
        return not_supported("[" + key.substr(0, 100) + "] of a " + made.kind + " aggregation");
  const bool metric = known != kMembers.end() && known->second == "field,missing,format";
  if (metric && json.contains("format") && !date &&
      (made.field == nullptr || !is_number(made.field->type) || !print_number(0, as.format)))
    return not_supported("[format] " + as.format.substr(0, 100) + " of a " + made.kind + " aggregation");
  if (made.kind == "terms" || made.kind == "rare_terms" || made.kind == "significant_terms") {
    const auto size = FROND_EXPECT_OK(whole_member(json, "size", 10));
    if (size <= 0)
      return illegal_argument("[size] must be greater than 0. Found [" + std::to_string(size) + "] in [" + made.name +
                              "]");
    as.size = static_cast<std::size_t>(size);
    FROND_EXPECT_OK(gathered(made));
    FROND_EXPECT_OK(check_choice(made));
    as.include = FROND_EXPECT_OK(chosen(json, "include"));
    as.exclude = FROND_EXPECT_OK(chosen(json, "exclude"));
    as.include_like = FROND_EXPECT_OK(pattern_in(json, "include"));
    as.exclude_like = FROND_EXPECT_OK(pattern_in(json, "exclude"));
  }
  const auto most = made.kind == "rare_terms" ? FROND_EXPECT_OK(whole_member(json, "max_doc_count", 1)) : 1;
  if (most <= 0 || most > 100) return illegal_argument("[max_doc_count] must be from 1 to 100");
  const bool number = made.field == nullptr || is_number(made.field->type) || made.field->has_words();
  if (!number && made.kind == "median_absolute_deviation")
    return illegal_argument("Field [" + made.field->name + "] of type [" + std::string(name_of(made.field->type)) +
                            "] is not supported for aggregation [" + made.kind + "]");
  if (!number && made.kind == "extended_stats") return not_supported("[extended_stats] of no number");
  if (made.kind.starts_with("percentile"))
    as.percents = FROND_EXPECT_OK(percents_in(json, made.kind == "percentile_ranks"));
  if (has_intervals(made) || made.of_index()) FROND_EXPECT_OK(read_order(made));
  if (!has_intervals(made)) return {};
  if (made.kind == "histogram" && !(number_or_text(json, "interval") > 0))
    return illegal_argument("[interval] must be >0 for histogram aggregation [" + made.name + "]");
  if (FROND_EXPECT_OK(whole_member(json, "min_doc_count", 0)) < 0)
    return illegal_argument("[min_doc_count] must be greater than or equal to 0");
  for (const char* const name : {"hard_bounds", "extended_bounds"})
    if (json.contains(name) && !date) return not_supported("[" + std::string(name) + "] of a field that is no date");
  return {};
}

Expected<void> AggregationReader::gathered(Aggregation& made) {
  const Json& json = made.definition;
  made.as.least = FROND_EXPECT_OK(whole_member(json, "min_doc_count", 1));
  if (made.as.least < 0)
    return illegal_argument("[min_doc_count] must be greater than or equal to 0. Found [" +
                            std::to_string(made.as.least) + "] in [" + made.name + "]");
  made.as.gathered = made.as.size;
  const Json order = json.value("order", Json());
  const Json& first = order.is_array() && !order.empty() ? order.front() : order;
  const bool by_key = first.is_object() && (first.contains("_key") || first.contains("_term"));
  made.as.exactly_ordered = first.is_null() || by_key || first == Json{{"_count", "desc"}};
  if (made.as.least <= 1 && made.as.exactly_ordered) return {};
  const auto asked = FROND_EXPECT_OK(whole_member(json, "shard_size", -1));
  if (asked > 0)
    made.as.gathered = std::max(made.as.size, static_cast<std::size_t>(asked));
  else if (!by_key)
    made.as.gathered = made.as.size + made.as.size / 2 + 10;
  return {};
}

Expected<void> AggregationReader::unmapped(Aggregation& made) {
  if (made.kind == "range" || made.kind == "date_range") return ranges(made);
  if (made.kind == "missing") {  // all documents lack it
    const auto all = FROND_EXPECT_OK(clause({{"match_all", Json::object()}}));
    made.facet = {{"filter", {{"query", all}}}};
  }
  return {};
}

// REQUIRES: the facet and its interval are known.
Expected<void> AggregationReader::bounds(Aggregation& made) {
  const Json& facet = made.facet["dates"];
  const auto one = [&](const char* name) -> Expected<ShownAs::Bounds> {
    ShownAs::Bounds read;
    const auto given = made.definition.find(name);
    if (given == made.definition.end() || given->is_null()) return read;
    if (!given->is_object() || !facet["interval"].is_number() || facet.contains("zone"))
      return not_supported("[" + std::string(name) + "] of a date_histogram aggregation by the calendar");
    DateReading reading;
    reading.now_ms = scope_.now_ms;
    for (const auto& [key, value] : given->items()) {
      if (key != "min" && key != "max")
        return parsing_exception("[" + std::string(name) + "] unknown field [" + key + "]");
      if (value.is_null()) continue;
      (key == "min" ? read.from : read.to) = FROND_EXPECT_OK(
          parse_date_math(value.is_string() ? value.get<std::string>() : dumped(value), made.field->format, reading));
    }
    return read;
  };
  ShownAs& as = made.as;
  as.hard = FROND_EXPECT_OK(one("hard_bounds"));
  as.extended = FROND_EXPECT_OK(one("extended_bounds"));
  if (!as.extended.from && !as.extended.to) return {};
  if ((as.hard.from && as.extended.from && *as.extended.from < *as.hard.from) ||
      (as.hard.to && as.extended.to && *as.extended.to > *as.hard.to))
    return illegal_argument("Extended bounds have to be inside hard bounds");
  if (FROND_EXPECT_OK(whole_member(made.definition, "min_doc_count", 0)) > 0) {
    as.extended = {};  // which empty buckets are not shown with
    return {};
  }
  if (!as.extended.from || !as.extended.to) return not_supported("[extended_bounds] with one bound alone");
  if (*as.extended.to < *as.extended.from)
    return illegal_argument("[extended_bounds.min] cannot be greater than [extended_bounds.max]");
  as.interval = facet["interval"];
  as.offset = facet.contains("offset") ? facet["offset"].get<std::int64_t>() : 0;
  const auto apart = static_cast<std::uint64_t>(*as.extended.to) - static_cast<std::uint64_t>(*as.extended.from);
  if (apart / static_cast<std::uint64_t>(as.interval) > kMaxEmptyBuckets)
    return not_supported("[extended_bounds] of more than " + std::to_string(kMaxEmptyBuckets) + " buckets");
  return {};
}

std::string bucket_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  const bool whole = value.is_number_float() && std::abs(value.get<double>()) < 1e15 &&
                     value.get<double>() == std::trunc(value.get<double>());
  return whole ? std::to_string(value.get<std::int64_t>()) : dumped(value);
}

}  // namespace frond::broker::elasticsearch
