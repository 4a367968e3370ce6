#include "broker/elasticsearch/search/search_request.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "broker/elasticsearch/indices/catalogue.h"
#include "broker/elasticsearch/suggest/completion.h"
#include "broker/http/search/search_parameters.h"
#include "common/base/text.h"
#include "common/elasticsearch/date_format.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

// Members of a body that change nothing here, and those that Frond lacks.
constexpr std::string_view kIgnored[] = {
    "profile",          "stats", "ext",  "script_fields", "indices_boost", "terminate_after", "pit", "slice",
    "runtime_mappings", "knn",   "rank", "retriever",     "derived",       "search_pipeline"};

std::vector<std::string> texts_in(const Json& json) {
  std::vector<std::string> all;
  for (const Json& one : json.is_array() ? json : Json::array({json}))
    if (one.is_string())
      for (const auto part : split_list(one.get_ref<const std::string&>())) all.emplace_back(part);
  return all;
}

// Of a body, where a text is one pattern, whatever is in it.
std::vector<std::string> patterns_in(const Json& json) {
  std::vector<std::string> all;
  for (const Json& one : json.is_array() ? json : Json::array({json}))
    if (one.is_primitive()) all.push_back(one.is_string() ? one.get<std::string>() : one.dump());
  return all;
}

Expected<void> check_names(std::size_t names, std::string_view of) {
  if (names <= kMaxNames) return {};
  return illegal_argument("[" + std::string(of) + "] has more than " + std::to_string(kMaxNames) + " names");
}

Expected<std::int64_t> whole_in(const Json& json, const std::string& name) {
  if (json.is_number_integer() &&
      !(json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()))
    return json.get<std::int64_t>();
  if (json.is_number_float() && std::abs(json.get<double>()) < 1e15) return json.get<std::int64_t>();
  if (json.is_string()) {
    if (const auto value = number_in<std::int64_t>(json.get_ref<const std::string&>())) return *value;
  }
  return illegal_argument("Failed to parse int parameter [" + name + "] with value [" + dumped(json).substr(0, 100) +
                          "]");
}

class SearchReader {
 public:
  Expected<void> body(Json body) {
    for (auto one = body.begin(); one != body.end(); ++one) FROND_EXPECT_OK(member(one.key(), std::move(*one)));
    sorts_of_body_ = std::ssize(ask_.sort);
    return {};
  }

  Expected<void> parameter(const std::string& name, const std::string& value) {
    if (name == "from" || name == "size") return member(name, Json(value));
    if (name == "sort") {
      ask_.sort.erase(ask_.sort.begin() + sorts_of_body_, ask_.sort.end());  // of several the last counts
      for (const auto part : split_list(value)) {
        const std::size_t colon = part.find(':');
        const std::string field(part.substr(0, colon));
        const bool descending = colon != part.npos && part.substr(colon) == ":desc";  // else it is ascending
        FROND_EXPECT_OK(sort(colon == part.npos ? Json(field) : Json{{field, descending ? "desc" : "asc"}}));
      }
      return {};
    }
    if (name == "track_total_hits")
      return member(name, value == "true" || value == "false" ? Json(value == "true") : Json(value));
    if (name == "docvalue_fields" || name == "stored_fields") return member(name, Json::array({value}));
    if (name == "timeout" || name == "terminate_after") return member(name, Json(value));
    if (is_listed("explain,track_scores,version,seq_no_primary_term,allow_partial_search_results,request_cache",
                  name) &&
        value != "true" && value != "false" && !value.empty())
      return illegal_argument("Failed to parse value [" + value.substr(0, 100) +
                              "] as only [true] or [false] are allowed.");
    if (name == "track_scores") return member(name, Json(value != "false"));
    if (name == "explain" || name == "version" || name == "seq_no_primary_term")
      return value.empty() ? Expected<void>() : member(name, Json(value == "true"));
    if (name == "allow_partial_search_results") ask_.partial = value != "false";
    for (const auto& [number, least] :
         {std::pair("batched_reduce_size", 2), {"max_concurrent_shard_requests", 1}, {"pre_filter_shard_size", 1}})
      if (name == number && number_in<int>(value).value_or(0) < least)
        return illegal_argument(name + " must be >= " + std::to_string(least));
    if (name == "rest_total_hits_as_int") ask_.total_as_number = value != "false";
    if (name == "typed_keys") ask_.typed_keys = value != "false";
    if (name == "format" && value != "json" && value != "yaml") return not_supported("[format] " + value);
    if (name.starts_with("suggest_")) return not_supported("[" + name + "]");
    if (name == "search_type" && value != "query_then_fetch" && value != "dfs_query_then_fetch")
      return illegal_argument("No search type for [" + value + "]");
    return {};
  }

  Expected<SearchAsk> take(const Parameters& parameters) {
    if (std::ranges::any_of(parameters, [](const auto& one) { return one.first.starts_with("_source"); })) {
      ask_.source = source_filter_in(parameters);  // in place of what the body says
      source_asked_ = true;
    }
    FROND_EXPECT_OK(check_names(ask_.source.includes.size() + ask_.source.excludes.size(), "_source"));
    FROND_EXPECT_OK(check_names(ask_.fields.size(), "fields"));
    FROND_EXPECT_OK(check_names(ask_.docvalue_fields.size(), "docvalue_fields"));
    FROND_EXPECT_OK(check_names(ask_.sort.size(), "sort"));
    FROND_EXPECT_OK(check_names(ask_.index_boosts.size(), "indices_boost"));
    if (ask_.from + std::int64_t{ask_.size} > kMaxWindow)
      return ApiError{.type = "search_phase_execution_exception",
                      .reason =
                          "all shards failed: Result window is too large, from + size must be less than or equal to: "
                          "[10000] but was [" +
                          std::to_string(ask_.from + std::int64_t{ask_.size}) + "]",
                      .root_type = "illegal_argument_exception"};
    if (ask_.sort.size() == 1 && ask_.sort.front().field == "_score" && ask_.sort.front().descending) ask_.sort.clear();
    if (ask_.by_score()) ask_.track_scores = false;
    if (ask_.total_as_number && ask_.totals && ask_.exact_total != ~std::uint64_t{0} && limits_total_)
      return illegal_argument("[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate");
    if (stored_only_ && !source_asked_) ask_.source.shown = false;
    if (!ask_.ids && (ask_.versions || ask_.source.shown))
      return illegal_argument(std::string("[stored_fields] cannot be disabled if [") +
                              (ask_.versions ? "version" : "_source") + "] is requested");
    if (ask_.suggests() && ask_.has_stages())
      return not_supported("[suggest] of a search with [rescore], [collapse], [min_score] or a [sort] in memory");
    // With suggestions alone nothing is searched.
    if (ask_.suggests() && ask_.query.is_null() && ask_.aggregations.is_null())
      ask_.query = {{"match_none", Json::object()}};
    if (!ask_.rescore.is_null() && !ask_.by_score())
      return illegal_argument("Cannot use [sort] option in conjunction with [rescore].");
    if (!ask_.collapse.is_null() && !ask_.rescore.is_null())
      return validation_failed("cannot use `collapse` in conjunction with `rescore`");
    if (ask_.search_after && (!ask_.collapse.is_null() || ask_.sorts_in_window()))
      return not_supported("[search_after] with [collapse] or with this [sort]");
    if (ask_.search_after) {
      if (ask_.sort.empty()) return illegal_argument("Sort must contain at least one field.");
      if (ask_.from > 0) return validation_failed("`from` parameter must be set to 0 when `search_after` is used");
      if (ask_.search_after->size() != ask_.sort.size())
        return illegal_argument("search_after has " + std::to_string(ask_.search_after->size()) +
                                " value(s) but sort has " + std::to_string(ask_.sort.size()) + ".");
    }
    return std::move(ask_);
  }

 private:
  Expected<void> member(const std::string& key, Json value) {
    if (key == "query" || key == "post_filter" || key == "highlight") {
      if (!value.is_object()) return parsing_exception("Expected [START_OBJECT] under [" + key + "], but got a value");
      (key == "query" ? ask_.query : key == "highlight" ? ask_.highlight : ask_.post_filter) = std::move(value);
    } else if (key == "aggs" || key == "aggregations") {
      if (!value.is_object()) return parsing_exception("Found [VALUE] but expected [START_OBJECT] under [aggs]");
      if (!value.empty()) ask_.aggregations = std::move(value);
    } else if (key == "from" || key == "size") {
      const auto number = FROND_EXPECT_OK(whole_in(value, key));
      if (number < 0)
        return illegal_argument("[" + key + "] parameter cannot be negative, found [" + std::to_string(number) + "]");
      (key == "from" ? ask_.from : ask_.size) =
          static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, kMaxWindow + 1));
    } else if (key == "sort") {
      for (const Json& one : value.is_array() ? value : Json::array({value})) FROND_EXPECT_OK(sort(one));
    } else if (key == "search_after") {
      if (!value.is_array() || value.empty()) return illegal_argument("Values must contains at least one value.");
      ask_.search_after = value;
    } else if (key == "track_total_hits") {
      return track_total(value);
    } else if (key == "_source") {
      ask_.source = FROND_EXPECT_OK(source_filter_in(value));
      source_asked_ = true;
    } else if (key == "fields" || key == "docvalue_fields") {
      auto& to = key == "fields" ? ask_.fields : ask_.docvalue_fields;
      if (!value.is_array()) return parsing_exception("Unknown key for a value in [" + key + "], which is no list.");
      for (const Json& one : value) {
        if (one.is_object() && one.contains("field") && one["field"].is_string()) {
          auto format = FROND_EXPECT_OK(text_member(one, "format", ""));
          to.push_back({one["field"], std::move(format)});
        } else if (one.is_string())
          for (const std::string& name : texts_in(one)) to.push_back({name, ""});
        else
          return parsing_exception("[" + key + "] must be fields");
      }
    } else if (key == "stored_fields") {
      const auto names = texts_in(value);
      if (!value.is_array() && !value.is_string())
        return parsing_exception("Expected [VALUE_STRING] or [START_ARRAY] in [stored_fields]");
      stored_only_ = std::ranges::find(names, "_source") == names.end();
      if (std::ranges::find(names, "_none_") != names.end()) {
        if (names.size() > 1) return illegal_argument("cannot combine _none_ with other fields");
        ask_.ids = false;
      }
    } else if (key == "timeout") {
      const auto ms = value.is_string() ? duration_ms(value.get<std::string>()) : std::nullopt;
      if (!ms && value != "-1")
        return value.is_string() ? illegal_argument("failed to parse setting [timeout] with value [" +
                                                    value.get<std::string>().substr(0, 100) + "] as a time value")
                                 : parsing_exception("Unknown key for a VALUE_NUMBER in [timeout].");
      if (ms && *ms > 0) ask_.timeout_ms = static_cast<std::uint32_t>(std::min<std::int64_t>(*ms, 3'600'000));
    } else if (key == "explain") {
      ask_.explain = FROND_EXPECT_OK(flag_member(Json{{key, value}}, key.c_str(), false));
    } else if (key == "version") {
      ask_.versions = FROND_EXPECT_OK(flag_member(Json{{key, value}}, key.c_str(), false));
    } else if (key == "seq_no_primary_term") {
      ask_.sequence_numbers = FROND_EXPECT_OK(flag_member(Json{{key, value}}, key.c_str(), false));
    } else if (key == "track_scores") {
      ask_.track_scores = FROND_EXPECT_OK(flag_member(Json{{key, value}}, key.c_str(), false));
    } else if (key == "min_score") {
      if (!value.is_number()) return parsing_exception("[min_score] must be a number");
      ask_.min_score = value.get<double>();
    } else if (key == "collapse") {
      if (!value.is_object() || !value.contains("field") || !value["field"].is_string())
        return parsing_exception("[collapse] must have a [field]");
      ask_.collapse = value;
    } else if (key == "suggest") {
      Json terms = value;
      ask_.completions = FROND_EXPECT_OK(take_completions(terms));
      ask_.suggesters = FROND_EXPECT_OK(read_suggesters(terms));
    } else if (key == "rescore") {
      ask_.rescore = value.is_array() ? value : Json::array({value});
      if (ask_.rescore.size() > kMaxRescores)
        return illegal_argument("more than " + std::to_string(kMaxRescores) + " rescores");
      if (ask_.rescore.empty()) ask_.rescore = nullptr;
    } else {
      return other(key, value);
    }
    return {};
  }

  Expected<void> other(const std::string& key, const Json& value) {
    if (key == "indices_boost") {
      for (const Json& one : value.is_array() ? value : Json::array({value}))
        for (const auto& [index, boost] : one.items()) {
          if (!one.is_object() || !boost.is_number() || boost < 0)
            return parsing_exception("[indices_boost] must be numbers from 0 by the names of indices");
          ask_.index_boosts.emplace_back(index, boost);
        }
      return {};
    }
    if (key == "terminate_after") FROND_EXPECT_OK(whole_in(value, key));
    if (key == "stats" && !value.is_array()) return parsing_exception("Unknown key for a value in [stats].");
    if (key == "terminate_after" || key == "stats" || key == "ext" || (key == "script_fields" && value.empty()))
      return {};
    if (key == "profile" && value == false) return {};
    if (std::ranges::find(kIgnored, key) != std::end(kIgnored)) return not_supported("[" + key + "] of a search");
    return parsing_exception("Unknown key for a " +
                             std::string(value.is_object()  ? "START_OBJECT"
                                         : value.is_array() ? "START_ARRAY"
                                                            : "VALUE") +
                             " in [" + key + "].");
  }

  Expected<void> track_total(const Json& value) {
    if (value == true || value == "true") {
      ask_.exact_total = ~std::uint64_t{0};
    } else if (value == false || value == "false") {
      ask_.totals = false;
    } else {
      const auto number = FROND_EXPECT_OK(whole_in(value, "track_total_hits"));
      if (number < -1)
        return illegal_argument("[track_total_hits] parameter must be positive or equals to -1, got " +
                                std::to_string(number));
      if (number > std::numeric_limits<std::int32_t>::max())
        return illegal_argument("Numeric value (" + std::to_string(number) + ") out of range of int");
      ask_.totals = number >= 0;
      limits_total_ = ask_.totals;
      ask_.exact_total = number < 0 ? 0 : static_cast<std::uint64_t>(number);
    }
    return {};
  }

  Expected<void> sort(const Json& json) {
    if (json.is_string()) return add_sort(json, Json::object());
    if (!json.is_object())
      return illegal_argument(
          "malformed sort format, within the sort array, an object, or an actual string are allowed");
    if (json.size() > 1) return not_supported("several fields in one object of [sort]");  // whose order JSON lacks
    for (const auto& [field, value] : json.items())
      FROND_EXPECT_OK(add_sort(field, value.is_object() ? value : Json{{"order", value}}));
    return {};
  }
  Expected<void> add_sort(const std::string& field, const Json& how) {
    AskedSort made{field, field == "_score"};
    for (const auto& [key, value] : how.items()) {
      const std::string text = text_in(value);
      if (key == "order") {
        if (text != "asc" && text != "desc" && text != "ASC" && text != "DESC")
          return illegal_argument("No enum constant SortOrder." + text);
        made.descending = text == "desc" || text == "DESC";
      } else if (field == "_score") {
        return parsing_exception("[_score] unknown field [" + key + "]");
      } else if (key == "missing" && (text == "_first" || text == "_last")) {
        made.missing_first = text == "_first";
      } else if (key == "missing" && !value.is_structured() && !value.is_null()) {
        made.missing = value;
      } else if (key == "unmapped_type") {
        made.unmapped_type = text;
      } else if (key == "mode") {
        made.mode = text;
        if (text != "min" && text != "max" && text != "sum" && text != "avg" && text != "median")
          return illegal_argument("Unknown SortMode [" + text + "]");
      } else if (key != "ignore_unmapped") {
        return key == "missing" || key == "format" || key == "numeric_type" || key == "nested" ||
                       key == "nested_path" || key == "script"
                   ? not_supported("[" + key + "] of a sort")
                   : parsing_exception("[field_sort] unknown field [" + key + "]");
      }
    }
    if (field == "_script" || field == "_geo_distance") return not_supported("[" + field + "] of a sort");
    ask_.sort.push_back(std::move(made));
    return {};
  }

  SearchAsk ask_;
  bool source_asked_ = false, stored_only_ = false, limits_total_ = false;
  std::ptrdiff_t sorts_of_body_ = 0;
};

// Whether there is a name of a query, a function of scores, or hits of buckets.
bool has_stages(const Json& json) {
  if (!json.is_structured()) return false;
  for (auto one = json.begin(); one != json.end(); ++one)
    if ((json.is_object() && (one.key() == "_name" || one.key() == "function_score" || one.key() == "top_hits")) ||
        has_stages(*one))
      return true;
  return false;
}

}  // namespace

bool SearchAsk::may_have_stages() const {
  return has_stages() || (size > 0 && from + size > http::kMaxK) || elasticsearch::has_stages(query) ||
         elasticsearch::has_stages(aggregations);
}
bool SearchAsk::sorts_in_window() const { return std::ranges::any_of(sort, &AskedSort::in_window); }
bool SearchAsk::sorts_scores() const {
  return std::ranges::any_of(sort, [](const AskedSort& one) { return one.field == "_score"; });
}

Expected<ShownSource> source_filter_in(const Json& json) {
  ShownSource filter;
  if (json.is_boolean()) {
    filter.shown = json;
  } else if (json.is_string() || json.is_array()) {
    filter.includes = patterns_in(json);
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      if (key == "includes" || key == "include")
        filter.includes = patterns_in(value);
      else if (key == "excludes" || key == "exclude")
        filter.excludes = patterns_in(value);
      else
        return parsing_exception("Unknown key for a START_ARRAY in [" + key + "].");
    }
  } else {
    return parsing_exception(
        "Expected one of [VALUE_BOOLEAN, VALUE_STRING, START_ARRAY, START_OBJECT] but found [VALUE_NUMBER]");
  }
  return filter;
}

ShownSource source_filter_in(const Parameters& parameters) {
  ShownSource filter;
  for (const std::string_view wanted : {"_source", "_source_includes", "_source_excludes"})
    for (const auto& [name, value] : parameters)
      if (name == wanted && name == "_source" && (value == "true" || value == "false"))
        filter.shown = value == "true";
      else if (name == wanted)
        (name == "_source_excludes" ? filter.excludes : filter.includes) = texts_in(value);
  return filter;
}

Expected<Json> query_in(const Parameters& parameters) {
  Json made;
  for (const auto& [name, value] : parameters) {
    if (name == "q") made["query"] = value;
    if (name == "df") made["default_field"] = value;
    if (name == "default_operator" || name == "analyzer") made[name] = value;
    if (name == "lenient" || name == "analyze_wildcard") made[name] = value != "false";
  }
  if (!made.is_null() && !made.contains("query"))  // what belongs to a "q" that is not there
    return illegal_argument("request contains unrecognized parameter: [" + made.begin().key() + "]");
  return made.is_null() ? made : Json{{"query_string", std::move(made)}};
}

Expected<SearchAsk> read_search(Json body, const Parameters& parameters) {
  return typed([&]() -> Expected<SearchAsk> {
    SearchReader reader;
    Json query = FROND_EXPECT_OK(query_in(parameters));
    if (!query.is_null()) body["query"] = std::move(query);
    FROND_EXPECT_OK(reader.body(std::move(body)));
    for (const auto& [name, value] : parameters) FROND_EXPECT_OK(reader.parameter(name, value));
    return reader.take(parameters);
  });
}

}  // namespace frond::broker::elasticsearch
