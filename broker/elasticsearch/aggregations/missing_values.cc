// Aggregations that count documents without a value as if they had one.
#include <algorithm>
#include <cmath>

#include "broker/elasticsearch/aggregations/aggregations.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

constexpr std::size_t kMaxFilled = 10'000;  // buckets between the missing value's and the others

Json json_of(const schema::Value& value) {
  return std::visit([](const auto& one) { return Json(one); }, value);
}

// Where the bucket of an interval begins that the missing value is in.
Expected<Json> bucket_of(const Aggregation& of) {
  const Json value = json_of(*of.as.missing);
  if (of.kind == "histogram") {
    const double interval = of.facet["histogram"]["interval"];
    return Json(std::floor(value.get<double>() / interval) * interval);
  }
  const Json& facet = of.facet["dates"];
  const auto ms = value.get<std::int64_t>();
  if (facet["interval"].is_number() && !facet.contains("zone")) {
    const std::int64_t step = facet["interval"], offset = facet.value("offset", std::int64_t{0});
    return Json(ms - ((ms - offset) % step + step) % step);
  }
  static const std::map<std::string, std::string> kRoundings = {{"minute", "m"}, {"hour", "h"},  {"day", "d"},
                                                                {"week", "w"},   {"month", "M"}, {"year", "y"}};
  const auto rounding = facet["interval"].is_string() ? kRoundings.find(facet["interval"]) : kRoundings.end();
  if (rounding == kRoundings.end() || facet.contains("offset"))
    return not_supported("[missing] of a date_histogram aggregation with this interval");
  return Json(FROND_EXPECT_OK(
      parse_date_math(std::to_string(ms) + "||/" + rounding->second, "epoch_millis", DateReading{.zone = of.as.zone})));
}

Expected<void> sort_terms(const Aggregation& of, std::vector<Json>& buckets) {
  const std::string order = of.facet["values"].value("order", "_count:desc");
  const bool by_count = order.starts_with("_count:"), descending = order.ends_with(":desc");
  if (!by_count && !order.starts_with("_value:"))
    return not_supported("[missing] of a terms aggregation in this order");
  std::ranges::stable_sort(buckets, [&](const Json& a, const Json& b) {
    if (by_count && a["count"] != b["count"]) return descending ? b["count"] < a["count"] : a["count"] < b["count"];
    return descending && !by_count ? b["value"] < a["value"] : a["value"] < b["value"];
  });
  return {};
}

}  // namespace

Expected<void> add_missing_bucket(const Aggregation& of, const Json& missing, std::vector<Json>& buckets) {
  if (!of.as.missing || !missing.is_object() || missing["count"] == 0) return {};
  const bool terms = of.kind == "terms", dates = of.kind == "date_histogram";
  const char* const name = terms ? "value" : "from";
  const Json key = terms ? json_of(*of.as.missing) : FROND_EXPECT_OK(bucket_of(of));
  const auto same = std::ranges::find_if(
      buckets, [&](const Json& one) { return dates ? ms_of(one[name]) == key : one[name] == key; });
  const std::uint64_t count = missing["count"];
  if (same != buckets.end()) {
    if (!of.inside.empty())
      return not_supported("[missing] with a value that documents have, with aggregations inside,");
    (*same)["count"] = (*same)["count"].get<std::uint64_t>() + count;
  } else {
    const auto least = terms ? 0 : FROND_EXPECT_OK(whole_member(of.definition, "min_doc_count", 0));
    if (static_cast<std::int64_t>(count) < least) return {};
    Json made = {{name, key}, {"count", count}};
    if (missing.contains("facets")) made["facets"] = missing["facets"];
    buckets.push_back(std::move(made));
    const bool alone = buckets.size() == 1;
    if (!terms && !alone && least == 0) {
      if (dates) return not_supported("[missing] of a date_histogram aggregation without [min_doc_count]");
      const double step = of.facet["histogram"]["interval"], added = key;
      const double first = buckets.front()[name], last = buckets[buckets.size() - 2][name];
      const double from = added < first ? added : last, to = added < first ? first : added;
      if ((to - from) / step > kMaxFilled) return not_supported("[missing] far away from all values");
      for (double at = from + step; at < to - step / 2; at += step) buckets.push_back({{name, at}, {"count", 0}});
    }
  }
  if (terms) return sort_terms(of, buckets);
  std::ranges::stable_sort(buckets, [&](const Json& a, const Json& b) {
    return dates ? ms_of(a[name]) < ms_of(b[name]) : a[name] < b[name];
  });
  return {};
}

}  // namespace frond::broker::elasticsearch
