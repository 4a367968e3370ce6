#include "broker/elasticsearch/aggregations/pipeline_aggregations.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "broker/elasticsearch/indices/catalogue.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

constexpr std::string_view kInBuckets[] = {"bucket_sort", "cumulative_sum", "derivative", "serial_diff"};
constexpr std::string_view kBesideBuckets[] = {"avg_bucket", "extended_stats_bucket", "max_bucket",
                                               "min_bucket", "percentiles_bucket",    "stats_bucket",
                                               "sum_bucket"};
constexpr std::size_t kMaxLag = 10'000, kMaxPercentsOfBuckets = 1000;

bool is_in_buckets(std::string_view kind) { return std::ranges::find(kInBuckets, kind) != std::end(kInBuckets); }
bool is_beside(std::string_view kind) { return std::ranges::find(kBesideBuckets, kind) != std::end(kBesideBuckets); }

std::string path_of(const Aggregation& of) {
  const auto path = of.definition.find("buckets_path");
  if (path == of.definition.end()) return {};
  if (path->is_string()) return *path;
  return path->is_array() && path->size() == 1 && path->front().is_string() ? path->front().get<std::string>() : "";
}
bool fills_gaps(const Aggregation& of) { return text_or(of.definition, "gap_policy", "skip") == "insert_zeros"; }

// An aggregation by its name, also where its type stands before it.
const Json* named(const Json& in, std::string_view name) {
  if (!in.is_object()) return nullptr;
  for (const auto& [key, value] : in.items())
    if (key == name || (key.size() > name.size() && key.ends_with(name) && key[key.size() - name.size() - 1] == '#'))
      return &value;
  return nullptr;
}

// Of a bucket; NaN: a gap.
double value_of_bucket(const Json& bucket, std::string_view path, bool zeros) {
  const double value = number_at(bucket, path);
  const bool gap = std::isnan(value) || std::isinf(value) ||
                   (path != "_count" && path != "_key" && bucket.value("doc_count", Json(1)) == 0);
  return gap ? (zeros ? 0.0 : NAN) : value;
}

std::vector<Json*> buckets_of(Json& shown) {
  std::vector<Json*> all;
  if (const auto buckets = shown.find("buckets"); buckets != shown.end())
    for (Json& one : *buckets) all.push_back(&one);
  return all;
}

Json text_key(const std::string& key, const Json& bucket) {
  if (!key.empty()) return key;
  const Json& shown = bucket.contains("key_as_string") ? bucket["key_as_string"] : bucket["key"];
  return shown.is_string() ? shown : Json(shown.dump());
}

Json number_json(double value) { return std::isnan(value) ? Json() : Json(value); }

Expected<Json> beside_buckets(const Aggregation& of, const Json& shown) {
  std::string path = path_of(of);
  const Json* at = &shown;
  // Down to the one with buckets.
  while (at != nullptr && !at->contains("buckets")) {
    const std::size_t end = path.find('>');
    at = named(*at, std::string_view(path).substr(0, end));
    path = end == path.npos ? "_count" : path.substr(end + 1);
  }
  if (at == nullptr)
    return validation_failed("buckets_path aggregation does not exist for aggregation [" + of.name +
                             "]: " + path_of(of));
  std::vector<std::pair<double, Json>> values;
  const bool keyed = (*at)["buckets"].is_object();
  for (const auto& [key, bucket] : (*at)["buckets"].items()) {
    const double value = value_of_bucket(bucket, path, fills_gaps(of));
    if (!std::isnan(value)) values.emplace_back(value, text_key(keyed || !bucket.contains("key") ? key : "", bucket));
  }
  double sum = 0, squares = 0, least = INFINITY, most = -INFINITY;
  for (const auto& [value, key] : values) {
    sum += value;
    squares += value * value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const std::size_t count = values.size();
  const double mean = count == 0 ? NAN : sum / static_cast<double>(count);
  if (of.kind == "sum_bucket") return Json{{"value", sum}};
  if (of.kind == "avg_bucket") return Json{{"value", number_json(mean)}};
  if (of.kind == "extended_stats_bucket")
    return extended_stats_json(count, least, most, sum, squares,
                               of.definition.contains("sigma") ? of.definition["sigma"].get<double>() : 2);
  if (of.kind == "stats_bucket")
    return Json{{"count", count},
                {"min", count == 0 ? Json() : Json(least)},
                {"max", count == 0 ? Json() : Json(most)},
                {"avg", number_json(mean)},
                {"sum", sum}};
  if (of.kind == "percentiles_bucket") {
    std::ranges::sort(values, {}, [](const auto& one) { return one.first; });
    Json all = Json::object();
    for (const Json& percent : of.definition.value("percents", Json{1, 5, 25, 50, 75, 95, 99})) {
      const auto place = static_cast<std::size_t>(
          std::llround(percent.get<double>() / 100 * static_cast<double>(count == 0 ? 0 : count - 1)));
      all[Json(percent.get<double>()).dump()] = count == 0 ? Json() : Json(values[place].first);
    }
    return Json{{"values", std::move(all)}};
  }
  const double extreme = of.kind == "max_bucket" ? most : least;
  Json keys = Json::array();
  for (const auto& [value, key] : values)
    if (value == extreme) keys.push_back(key);
  return Json{{"value", count == 0 ? Json() : Json(extreme)}, {"keys", std::move(keys)}};
}

void sort_buckets(const Aggregation& of, Json& buckets) {
  struct Key {
    std::string path;
    bool descending;
  };
  std::vector<Key> keys;
  const Json given = of.definition.value("sort", Json::array());
  for (const Json& one : given.is_array() ? given : Json::array({given})) {
    const bool named = one.is_object() && !one.empty();
    const Json how = named ? one.begin().value() : Json();
    keys.push_back({named ? one.begin().key() : one.get<std::string>(), (how.is_object() ? text_or(how, "order", "asc")
                                                                         : how.is_string() ? how.get<std::string>()
                                                                                           : "asc") == "desc"});
  }
  std::vector<std::pair<std::vector<double>, Json>> all;
  for (Json& one : buckets) {
    std::vector<double> values;
    for (const Key& key : keys)
      values.push_back(key.path == "_key" ? 0 : value_of_bucket(one, key.path, fills_gaps(of)));
    if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) continue;
    all.emplace_back(std::move(values), std::move(one));
  }
  std::ranges::stable_sort(all, [&](const auto& a, const auto& b) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i].path == "_key" && a.second["key"] != b.second["key"])
        return keys[i].descending ? b.second["key"] < a.second["key"] : a.second["key"] < b.second["key"];
      if (a.first[i] != b.first[i]) return keys[i].descending ? a.first[i] > b.first[i] : a.first[i] < b.first[i];
    }
    return false;
  });
  const std::size_t from = std::min<std::size_t>(number_or(of.definition, "from", 0), all.size());
  const std::size_t most = number_or(of.definition, "size", all.size());
  buckets = Json::array();
  for (std::size_t i = from; i < all.size() && i - from < most; ++i) buckets.push_back(std::move(all[i].second));
}

void in_buckets(const Aggregation& of, const std::string& name, Json& shown) {
  if (of.kind == "bucket_sort") {
    if (shown["buckets"].is_array()) sort_buckets(of, shown["buckets"]);
    return;
  }
  const std::string path = path_of(of);
  const std::size_t lag = of.kind == "serial_diff" ? number_or(of.definition, "lag", 1) : 1;
  std::deque<double> before;
  double sum = 0;
  for (Json* const bucket : buckets_of(shown)) {
    const double value = value_of_bucket(*bucket, path, fills_gaps(of));
    if (of.kind == "cumulative_sum") {
      if (!std::isnan(value)) sum += value;
      (*bucket)[name] = {{"value", sum}};
      continue;
    }
    if (before.size() == lag) {
      const double change = value - before.front();
      if (of.kind == "derivative" || !std::isnan(change)) (*bucket)[name] = {{"value", number_json(change)}};
      before.pop_front();
    }
    before.push_back(value);
  }
}

// Those that read what another one makes come behind it, and sorting comes last.
std::vector<const Aggregation*> in_order(const std::vector<Aggregation>& aggregations,
                                         bool (*chosen)(std::string_view)) {
  std::vector<const Aggregation*> open, done;
  for (const Aggregation& one : aggregations)
    if (chosen(one.kind)) open.push_back(&one);
  while (!open.empty()) {
    const auto waits = [&](const Aggregation* one) {
      const std::string path = path_of(*one), first = path.substr(0, path.find_first_of(".>"));
      return std::ranges::any_of(open, [&](const Aggregation* other) {
        return other != one && (other->name == first || (one->kind == "bucket_sort" && other->kind != "bucket_sort"));
      });
    };
    auto next = std::ranges::find_if_not(open, waits);
    if (next == open.end()) next = open.begin();  // they wait for each other: there is nothing to read
    done.push_back(*next);
    open.erase(next);
  }
  return done;
}

}  // namespace

bool is_pipeline(std::string_view kind) { return is_in_buckets(kind) || is_beside(kind); }

bool leads_to_number(const std::vector<Aggregation>& aggregations, std::string_view path) {
  if (path == "_count" || path == "_key") return true;
  return std::ranges::any_of(aggregations, [&](const Aggregation& one) {
    if (!path.starts_with(one.name)) return false;
    const std::string_view rest = path.substr(one.name.size());
    if (rest.starts_with('>')) return leads_to_number(one.inside, rest.substr(1));
    constexpr std::string_view kOne = "avg,max,min,sum,value_count,cardinality,median_absolute_deviation";
    if (rest.empty()) return is_listed(kOne, one.kind) || is_pipeline(one.kind);
    const bool of_one = is_listed("avg,max,min,sum,value_count,cardinality", one.kind);
    return rest.front() == '[' || (rest.front() == '.' && rest != ".doc_count" && (!of_one || rest == ".value"));
  });
}

Expected<void> check_paths(const std::vector<Aggregation>& aggregations) {
  for (const Aggregation& one : aggregations) {
    if (!is_pipeline(one.kind)) continue;
    std::vector<std::string> paths = {path_of(one)};
    if (one.kind == "bucket_sort") {
      paths.clear();
      const Json sorts = one.definition.value("sort", Json::array());
      for (const Json& by : sorts.is_array() ? sorts : Json::array({sorts}))
        paths.push_back(by.is_object() ? by.begin().key() : by.get<std::string>());
    }
    for (const std::string& path : paths)
      if ((path == "_key" && one.kind != "bucket_sort") || !leads_to_number(aggregations, path))
        return validation_failed("No aggregation found for path [" + path.substr(0, 200) + "] of [" + one.name + "]");
  }
  return {};
}

Expected<void> check_parent(const Aggregation& parent) {
  const bool histogram = parent.kind == "histogram" || parent.kind == "date_histogram";
  constexpr std::string_view kSingle[] = {"filter", "global", "missing", "sampler"};
  for (const Aggregation& one : parent.inside) {
    if (!is_in_buckets(one.kind)) continue;
    if (std::ranges::find(kSingle, parent.kind) != std::end(kSingle))
      return validation_failed(one.kind + " aggregation [" + one.name + "] must be in an aggregation with buckets");
    if (one.kind == "bucket_sort") {
      if (parent.kind == "filters" || flag_or(parent.definition, "keyed"))
        return not_supported("[bucket_sort] of buckets by key");
      continue;
    }
    if (!histogram)
      return validation_failed(one.kind + " aggregation [" + one.name +
                               "] must have a histogram, date_histogram or auto_date_histogram as parent");
    if (number_or(parent.definition, "min_doc_count") != 0)
      return validation_failed("parent histogram of " + one.kind + " aggregation [" + one.name +
                               "] must have min_doc_count of 0");
  }
  return {};
}

Expected<void> check_pipeline(const Aggregation& of, bool outermost) {
  const Json& json = of.definition;
  if (outermost && is_in_buckets(of.kind))
    return validation_failed(of.kind + " aggregation [" + of.name + "] must be declared inside of another aggregation");
  if (of.kind != "bucket_sort" && path_of(of).empty())
    return parsing_exception("Required [buckets_path] in [" + of.name + "]");
  for (const auto& [key, value] : json.items()) {
    const bool own = (of.kind == "bucket_sort" && (key == "sort" || key == "from" || key == "size")) ||
                     (of.kind == "serial_diff" && key == "lag") ||
                     (of.kind == "percentiles_bucket" && (key == "percents" || (key == "keyed" && value == true))) ||
                     (of.kind == "extended_stats_bucket" && key == "sigma");
    if (!own && key != "buckets_path" && key != "gap_policy")
      return not_supported("[" + key + "] of a " + of.kind + " aggregation");
  }
  const std::string gaps = FROND_EXPECT_OK(text_member(json, "gap_policy", "skip"));
  if (gaps != "skip" && gaps != "insert_zeros") return not_supported("[gap_policy] " + gaps);
  for (const char* const name : {"from", "size", "lag"})
    if (FROND_EXPECT_OK(whole_member(json, name, 1)) < (name == std::string_view("from") ? 0 : 1))
      return illegal_argument("[" + std::string(name) + "] must be a positive integer");
  if (number_or(json, "lag", 1) > kMaxLag) return not_supported("a [lag] of more than " + std::to_string(kMaxLag));
  if (json.contains("sigma") && !json["sigma"].is_number()) return parsing_exception("[sigma] must be a number");
  const Json percents = json.value("percents", Json::array());
  if (!percents.is_array() || percents.size() > kMaxPercentsOfBuckets ||
      !std::ranges::all_of(percents, [](const Json& one) { return one.is_number() && one >= 0 && one <= 100; }))
    return illegal_argument("[percents] must be numbers from 0 to 100");
  const Json sorts = json.value("sort", Json::array());
  for (const Json& one : sorts.is_array() ? sorts : Json::array({sorts})) {
    if (one.is_string()) continue;
    if (!one.is_object() || one.size() != 1) return parsing_exception("[sort] must be names of aggregations");
    const Json& given = one.begin().value();
    const Json how = given.is_object() ? given : Json{{"order", given}};
    for (const auto& [key, value] : how.items())
      if (key != "order" || (value != "asc" && value != "desc" && value != "ASC" && value != "DESC"))
        return parsing_exception("[bucket_sort] failed to parse field [sort]: [" + key.substr(0, 100) + "]");
  }
  return {};
}

double number_at(const Json& bucket, std::string_view path) {
  if (path == "_count") return bucket.value("doc_count", NAN);
  const Json* at = &bucket;
  while (at != nullptr) {
    // A name may have a dot itself.
    const std::size_t end = path.find('>');
    if (end != path.npos) {
      at = named(*at, path.substr(0, end));
      path = path.substr(end + 1);
      if (path == "_count") return at == nullptr ? NAN : at->value("doc_count", NAN);
      continue;
    }
    if (const Json* const whole = named(*at, path)) {
      const Json& value = whole->is_object() && whole->contains("value")       ? (*whole)["value"]
                          : whole->is_object() && whole->contains("doc_count") ? (*whole)["doc_count"]
                                                                               : *whole;
      return value.is_number() ? value.get<double>() : NAN;
    }
    const std::size_t dot = path.find_first_of(".[");
    if (dot == path.npos) return NAN;
    const Json* const metric = named(*at, path.substr(0, dot));
    if (metric == nullptr) return NAN;
    std::string member(path.substr(dot + 1));
    if (member.ends_with(']')) member.pop_back();
    if (member == "_count") return metric->value("doc_count", NAN);
    const Json& values = metric->contains("values") ? (*metric)["values"] : *metric;
    if (!values.is_object()) return NAN;
    auto found = values.find(member);
    if (found == values.end()) found = values.find(member + ".0");
    return found != values.end() && found->is_number() ? found->get<double>() : NAN;
  }
  return NAN;
}

Expected<void> add_pipelines(const std::vector<Aggregation>& aggregations, Json& shown, bool typed_keys) {
  return typed([&]() -> Expected<void> {
    for (const Aggregation& one : aggregations) {
      if (is_pipeline(one.kind) || one.inside.empty()) continue;
      Json* const own = const_cast<Json*>(named(shown, one.name));
      if (own == nullptr) continue;
      if (own->contains("buckets")) {
        for (Json* const bucket : buckets_of(*own)) FROND_EXPECT_OK(add_pipelines(one.inside, *bucket, typed_keys));
        for (const Aggregation* const pipeline : in_order(one.inside, is_in_buckets))
          in_buckets(*pipeline, pipeline->shown_name(typed_keys), *own);
      } else {
        FROND_EXPECT_OK(add_pipelines(one.inside, *own, typed_keys));
      }
    }
    for (const Aggregation* const pipeline : in_order(aggregations, is_beside)) {
      Json made = FROND_EXPECT_OK(beside_buckets(*pipeline, shown));
      if (!pipeline->meta.is_null()) made["meta"] = pipeline->meta;
      shown[pipeline->shown_name(typed_keys)] = std::move(made);
    }
    return {};
  });
}

}  // namespace frond::broker::elasticsearch
