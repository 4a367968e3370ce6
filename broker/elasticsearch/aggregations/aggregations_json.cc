// What was counted, as Elasticsearch shows it.
#include <algorithm>
#include <cmath>
#include <map>

#include "broker/elasticsearch/aggregations/aggregations.h"
#include "broker/elasticsearch/aggregations/pipeline_aggregations.h"
#include "broker/elasticsearch/hits/hit_json.h"
#include "common/elasticsearch/date_format.h"
#include "common/elasticsearch/json_body.h"
#include "common/schema/date.h"

namespace frond::broker::elasticsearch {
namespace {

Json number_or_null(const Json& value) { return value.is_number() ? Json(value.get<double>()) : Json(); }

// "20.0"
std::string bound_text(const Json& range, const char* name) {
  return range.contains(name) ? Json(range[name].get<double>()).dump() : "*";
}

class Renderer {
 public:
  Renderer(const Aggregation& of, const Json& facets, bool typed)
      : of_(of), facets_(facets), counted_(beside("")), typed_(typed) {}

  Expected<Json> shown() {
    const std::string& kind = of_.kind;
    if (of_.has_repeats(facets_))
      return not_supported("[" + kind + "] aggregation of several numbers in a document, whose repeats aren't kept,");
    if (kind == "filter" || kind == "missing" || kind == "global" || kind == "sampler") {
      if (kind == "sampler" && of_.inside.empty())
        return illegal_argument("Sampler aggregation must be used with child aggregations.");
      if (kind == "sampler" && counted_.is_object() && counted_["count"] > of_.as.size)
        return not_supported("[sampler] of more documents than [shard_size]");
      Json one = {{"doc_count", counted_.is_object() ? counted_.value("count", Json(0)) : Json(0)}};
      FROND_EXPECT_OK(add_inside(counted_, one));
      return one;
    }
    if (kind == "filters" || kind == "adjacency_matrix") return filters();
    if (kind == "terms") return terms();
    if (kind == "rare_terms") return rare_terms();
    if (kind == "significant_terms") return significant_terms();
    if (kind == "composite" || kind == "multi_terms") return tuples_json(of_, facets_, typed_);
    if (of_.field != nullptr ? is_over_values(of_)
                             : kind == "extended_stats" || kind == "median_absolute_deviation" ||
                                   kind == "string_stats" || kind == "percentile_ranks")
      return over_values(of_, counted_, missing());
    if (kind == "range" || kind == "date_range") return ranges();
    if (kind == "histogram" || kind == "date_histogram") return histogram();
    if (kind == "percentiles") return percentiles();
    if (kind == "cardinality") {
      const std::uint64_t counted = counted_.is_object() ? counted_["value"].get<std::uint64_t>() : 0;
      return Json{{"value", counted + (missing() > 0 && beside(">same").value("count", 0) == 0 ? 1 : 0)}};
    }
    return metric();
  }

 private:
  // The answer of a facet of this aggregation; null: there is none.
  const Json& beside(const char* suffix) const {
    static const Json kNone;
    if (!facets_.is_object()) return kNone;
    const auto found = facets_.find(of_.name + suffix);
    return found == facets_.end() ? kNone : *found;
  }
  std::uint64_t missing() const {
    const Json& counted = beside(">missing");
    return counted.is_object() ? counted["count"].get<std::uint64_t>() : 0;
  }
  Expected<void> add_inside(const Json& bucket, Json& to) const {
    return elasticsearch::add_inside(of_, bucket, typed_, to);
  }

  Expected<Json> metric() const {
    const bool any = counted_.is_object();
    if (of_.kind == "value_count")
      return Json{
          {"value", (any ? counted_.value("values", counted_.value("count", std::uint64_t{0})) : 0) + missing()}};
    const bool date = of_.field != nullptr && of_.field->type == Type::kDate;
    const auto number = [&](const char* name) -> Json {
      if (!any || counted_[name].is_null()) return nullptr;
      return date && counted_[name].is_string() ? Json(static_cast<double>(ms_of(counted_[name])))
                                                : number_or_null(counted_[name]);
    };
    const bool printed = date || of_.definition.contains("format");
    const auto text = [&](const Json& value) {
      if (!date) return print_number(value.get<double>(), of_.as.format);
      const double ms = std::floor(value.get<double>());
      return std::abs(ms) < 9e18 ? print_date(static_cast<std::int64_t>(ms), of_.as.format) : std::nullopt;
    };
    Json sum = any ? number("sum") : Json(0.0), average = number("mean"), least = number("min"), most = number("max");
    std::uint64_t count = any ? counted_["count"].get<std::uint64_t>() : 0;
    if (const std::uint64_t more = missing(); more > 0 && of_.as.missing) {
      const double value = std::visit(
          [](const auto& one) {
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(one)>>) return static_cast<double>(one);
            return 0.0;
          },
          *of_.as.missing);
      sum = (sum.is_number() ? sum.get<double>() : 0) + value * static_cast<double>(more);
      count += more;
      average = sum.get<double>() / static_cast<double>(count);
      least = least.is_null() ? value : std::min(least.get<double>(), value);
      most = most.is_null() ? value : std::max(most.get<double>(), value);
    }
    if (date && count > 0 && sum.is_number()) average = sum.get<double>() / static_cast<double>(count);
    if (sum.is_null()) sum = 0.0;
    if (of_.kind == "stats") {
      Json all = {{"count", count}, {"min", least}, {"max", most}, {"avg", average}, {"sum", sum}};
      if (printed && count > 0)
        for (const char* const name : {"min", "max", "avg", "sum"})
          if (const auto shown = text(all[name])) all[std::string(name) + "_as_string"] = *shown;
      return all;
    }
    Json value = of_.kind == "sum" ? sum : of_.kind == "avg" ? average : of_.kind == "min" ? least : most;
    Json one = {{"value", value}};
    if (printed && value.is_number())
      if (const auto shown = text(value)) one["value_as_string"] = *shown;
    return one;
  }

  Expected<Json> percentiles() const {
    const bool keyed = of_.as.keyed;
    Json values = keyed ? Json::object() : Json::array();
    for (std::size_t i = 0; i < of_.as.percents.size(); ++i) {
      Json value = nullptr;
      if (counted_.is_object() && i < counted_["percentiles"].size())
        value = number_or_null(counted_["percentiles"][i]["value"]);
      const double percent = of_.as.percents[i];
      if (keyed)
        values[Json(percent).dump()] = value;
      else
        values.push_back({{"key", percent}, {"value", value}});
    }
    return Json{{"values", std::move(values)}};
  }

  // Buckets of clauses, which are in their order.
  std::vector<Json> clause_buckets() const {
    std::vector<Json> found(of_.ranges.size());
    if (counted_.is_object())
      for (const Json& one : counted_["buckets"]) {
        const std::size_t number = std::stoul(one["name"].get<std::string>());
        if (number < found.size()) found[number] = one;
      }
    return found;
  }
  static Json count_of(const Json& bucket) { return bucket.is_object() ? bucket.value("count", Json(0)) : Json(0); }

  Expected<Json> filters() const {
    const bool matrix = of_.kind == "adjacency_matrix",
               keyed = !matrix && !of_.ranges.empty() && of_.ranges.front().is_string();
    Json buckets = keyed ? Json::object() : Json::array();
    const auto counted = clause_buckets();
    std::vector<std::pair<std::string, Json>> named;
    for (std::size_t i = 0; i < counted.size(); ++i) {
      Json one = {{"doc_count", count_of(counted[i])}};
      FROND_EXPECT_OK(add_inside(counted[i], one));
      if (keyed) {
        buckets[of_.ranges[i].get<std::string>()] = std::move(one);
      } else if (matrix) {
        if (one["doc_count"] == 0) continue;
        one["key"] = of_.ranges[i];
        named.emplace_back(of_.ranges[i], std::move(one));
      } else {
        buckets.push_back(std::move(one));
      }
    }
    std::ranges::sort(named, {}, [](const auto& one) { return one.first; });
    for (auto& [key, one] : named) buckets.push_back(std::move(one));
    return Json{{"buckets", std::move(buckets)}};
  }

  Expected<Json> ranges() const {
    const bool keyed = of_.as.keyed,
               dates = of_.field == nullptr ? of_.kind == "date_range" : of_.field->type == Type::kDate;
    Json buckets = keyed ? Json::object() : Json::array();
    const auto counted = clause_buckets();
    for (std::size_t i = 0; i < counted.size(); ++i) {
      const Json& range = of_.ranges[i];
      Json one = {{"doc_count", count_of(counted[i])}};
      std::string texts[2] = {"*", "*"};
      for (const auto& [name, text] : {std::pair("from", &texts[0]), {"to", &texts[1]}}) {
        if (!range.contains(name)) continue;
        one[name] = range[name].get<double>();
        *text = bound_text(range, name);
        if (!dates) continue;
        const auto shown = print_date(range[name].get<std::int64_t>(), of_.as.format, of_.as.zone);
        if (shown) one[std::string(name) + "_as_string"] = *text = *shown;
      }
      const std::string key = range.contains("key") ? range["key"].get<std::string>() : texts[0] + "-" + texts[1];
      FROND_EXPECT_OK(add_inside(counted[i], one));
      if (keyed) {
        buckets[key] = std::move(one);
      } else {
        one["key"] = key;
        buckets.push_back(std::move(one));
      }
    }
    return Json{{"buckets", std::move(buckets)}};
  }

  bool chooses() const { return of_.as.include || of_.as.exclude || of_.as.include_like || of_.as.exclude_like; }
  // Whether `include` and `exclude` let a value be shown.
  bool is_shown(const Json& value) const {
    if (!chooses()) return true;
    const ShownAs& as = of_.as;
    const std::string text = bucket_text(value);
    return (!as.include || as.include->contains(text)) && (!as.exclude || !as.exclude->contains(text)) &&
           (!as.include_like || as.include_like->matches(text)) &&
           (!as.exclude_like || !as.exclude_like->matches(text));
  }
  // All values are needed.
  Expected<void> check_whole() const {
    if (!counted_.is_object() || counted_["other"] == 0) return {};
    return not_supported("[" + of_.kind + "] aggregation that chooses among more than " +
                         std::to_string(query::kMaxFacetSize) + " values");
  }
  Expected<Json> term_bucket(const Json& bucket) const {
    const Json& value = bucket["value"];
    Json one = Json::object_t{{"key", value}, {"doc_count", bucket["count"]}};
    if (of_.field->type == Type::kBoolean) {
      one["key"] = value == true ? 1 : 0;
      one["key_as_string"] = value == true ? "true" : "false";
    } else if (of_.field->type == Type::kDate) {
      one["key"] = ms_of(value);
      if (const auto text = print_date(ms_of(value), of_.as.format)) one["key_as_string"] = *text;
    }
    FROND_EXPECT_OK(add_inside(bucket, one));
    return one;
  }

  Expected<Json> terms() const {
    if (chooses() || of_.as.gathered > query::kMaxFacetSize) FROND_EXPECT_OK(check_whole());
    Json buckets = Json::array();
    std::uint64_t others = counted_.is_object() ? counted_["other"].get<std::uint64_t>() : 0;
    std::vector<Json> all;
    if (counted_.is_object()) all = counted_["buckets"].get_ref<const Json::array_t&>();
    FROND_EXPECT_OK(add_missing_bucket(of_, beside(">missing"), all));
    FROND_EXPECT_OK(check_patterns(of_.as, all));
    std::erase_if(all, [&](const Json& bucket) { return !is_shown(bucket["value"]); });
    const int error = of_.as.error_bound(all.size());
    others += shown_terms(of_.as, all, "count");
    for (const Json& bucket : all) buckets.push_back(FROND_EXPECT_OK(term_bucket(bucket)));
    return Json{
        {"doc_count_error_upper_bound", error}, {"sum_other_doc_count", others}, {"buckets", std::move(buckets)}};
  }

  Expected<Json> rare_terms() const {
    Json buckets = Json::array();
    const std::uint64_t most = number_or(of_.definition, "max_doc_count", 1);
    if (counted_.is_object()) {
      const Json& all = counted_["buckets"];
      if (!all.empty() && all.back()["count"] <= most) FROND_EXPECT_OK(check_whole());
      for (const Json& bucket : all)
        if (bucket["count"] <= most && is_shown(bucket["value"]))
          buckets.push_back(FROND_EXPECT_OK(term_bucket(bucket)));
    }
    return Json{{"buckets", std::move(buckets)}};
  }

  // By the score that Elasticsearch calls jlh.
  Expected<Json> significant_terms() const {
    FROND_EXPECT_OK(check_whole());
    const Json &everywhere = beside(">values"), none = Json::array();
    const auto count_in = [&](const char* suffix) {
      const Json& all = beside(suffix);
      return all.is_object() ? all["count"].get<std::uint64_t>() : 0;
    };
    const std::uint64_t here = count_in(">all"), whole = count_in(">count"),
                        least = number_or(of_.definition, "min_doc_count", 3);
    std::map<Json, std::uint64_t> counts;
    for (const Json& bucket : everywhere.is_object() ? everywhere["buckets"] : none)
      counts[bucket["value"]] = bucket["count"];
    std::vector<std::pair<double, Json>> scored;
    for (const Json& bucket : counted_.is_object() ? counted_["buckets"] : none) {
      const std::uint64_t count = bucket["count"];
      const auto found = counts.find(bucket["value"]);
      if (count < least || !is_shown(bucket["value"])) continue;
      if (found == counts.end()) return not_supported("[significant_terms] of so many values");
      const double share = static_cast<double>(count) / static_cast<double>(here),
                   usual = static_cast<double>(found->second) / static_cast<double>(whole);
      if (share <= usual) continue;
      Json one = FROND_EXPECT_OK(term_bucket(bucket));
      one["score"] = (share - usual) * (share / usual);
      one["bg_count"] = found->second;
      scored.emplace_back(one["score"], std::move(one));
    }
    std::ranges::stable_sort(scored, [](const auto& a, const auto& b) { return a.first > b.first; });
    Json buckets = Json::array();
    for (auto& [score, one] : scored)
      if (buckets.size() < of_.as.size) buckets.push_back(std::move(one));
    return Json{{"doc_count", here}, {"bg_count", whole}, {"buckets", std::move(buckets)}};
  }

  // Without what is outside of hard_bounds, and with empty ones up to extended_bounds. REQUIRES: ascending keys.
  Expected<void> bound(std::vector<Json>& buckets) const {
    const ShownAs::Bounds &hard = of_.as.hard, &wide = of_.as.extended;
    std::erase_if(buckets, [&](const Json& one) {
      return (hard.from && one["key"] < *hard.from) || (hard.to && one["key"] >= *hard.to);
    });
    const auto is_empty = [](const Json& one) { return one["doc_count"] == 0; };
    if (hard.from || hard.to) {  // what is empty between documents that are left out
      buckets.erase(buckets.begin(), std::ranges::find_if_not(buckets, is_empty));
      while (!buckets.empty() && is_empty(buckets.back())) buckets.pop_back();
    }
    if (!wide.from) return {};
    const std::int64_t step = of_.as.interval;
    const auto begin_of = [&](std::int64_t ms) { return ms - ((ms - of_.as.offset) % step + step) % step; };
    const std::int64_t first = begin_of(*wide.from), last = begin_of(*wide.to);
    std::map<std::int64_t, Json> all;
    for (Json& one : buckets) {
      const auto key = one["key"].get<std::int64_t>();
      all[key] = std::move(one);
    }
    for (std::int64_t key = first; key <= last; key += step) {
      const auto [place, is_new] = all.try_emplace(key);
      if (!is_new) continue;
      place->second = {{"doc_count", 0}, {"key", key}};
      const auto text = print_date(key, of_.as.format, of_.as.zone);
      place->second["key_as_string"] = text ? *text : std::to_string(key);
      FROND_EXPECT_OK(add_inside(nullptr, place->second));
    }
    buckets.clear();
    for (auto& [key, one] : all) buckets.push_back(std::move(one));
    return {};
  }

  Expected<Json> histogram() const {
    const bool keyed = of_.as.keyed, dates = of_.kind == "date_histogram";
    std::vector<Json> all, counted;
    if (counted_.is_object()) counted = counted_["buckets"].get<std::vector<Json>>();
    FROND_EXPECT_OK(add_missing_bucket(of_, beside(">missing"), counted));
    for (const Json& bucket : counted) {
      Json one = {{"doc_count", bucket["count"]}};
      if (dates) {
        one["key"] = ms_of(bucket["from"]);
        const auto text = print_date(one["key"], of_.as.format, of_.as.zone);
        one["key_as_string"] = text ? *text : std::to_string(one["key"].get<std::int64_t>());
      } else {
        one["key"] = bucket["from"].get<double>();
      }
      FROND_EXPECT_OK(add_inside(bucket, one));
      all.push_back(std::move(one));
    }
    FROND_EXPECT_OK(bound(all));
    if (of_.as.by_count) {
      const std::string by = *of_.as.by_count ? "doc_count" : "key";
      std::ranges::stable_sort(
          all, [&](const Json& a, const Json& b) { return of_.as.descending ? b[by] < a[by] : a[by] < b[by]; });
    }
    Json buckets = keyed ? Json::object() : Json::array();
    for (Json& one : all) {
      const std::string key = dates ? one["key_as_string"].get<std::string>() : one["key"].dump();
      if (keyed)
        buckets[key] = std::move(one);
      else
        buckets.push_back(std::move(one));
    }
    return Json{{"buckets", std::move(buckets)}};
  }

  const Aggregation& of_;
  const Json& facets_;
  const Json& counted_;
  const bool typed_;
};

}  // namespace

std::int64_t ms_of(const Json& value) {
  if (value.is_number()) return value.get<std::int64_t>();
  const auto date = schema::parse_date(value.get<std::string>());
  return date ? date->first_ms : 0;
}

Expected<void> add_inside(const Aggregation& of, const Json& bucket, bool typed_keys, Json& to) {
  static const Json kNone;
  const auto facets = bucket.is_object() ? bucket.find("facets") : bucket.end();
  for (const Aggregation& child : of.inside)
    if (!is_pipeline(child.kind))
      to[child.shown_name(typed_keys)] =
          FROND_EXPECT_OK(child.shown(facets == bucket.end() ? kNone : *facets, typed_keys));
  return {};
}

Expected<Json> Aggregation::shown(const Json& facets, bool typed_keys) const {
  Json made = kind == "top_hits" ? Json::object()  // what searches of their own fill
                                 : FROND_EXPECT_OK(Renderer(*this, facets, typed_keys).shown());
  if (!meta.is_null()) made["meta"] = meta;
  return made;
}

}  // namespace frond::broker::elasticsearch
