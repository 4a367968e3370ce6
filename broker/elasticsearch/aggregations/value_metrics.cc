// Metrics that are computed from the number of documents of each value.
#include <algorithm>
#include <cmath>
#include <map>

#include "broker/elasticsearch/aggregations/aggregations.h"
#include "common/elasticsearch/json_body.h"
#include "common/text/utf8.h"

namespace frond::broker::elasticsearch {
namespace {

using Counts = std::map<double, std::uint64_t>;

// Between the values next to it, by their places.
double percentile(const Counts& counts, std::uint64_t all, double percent) {
  const double place = std::clamp(percent / 100 * static_cast<double>(all) - 0.5, 0.0, static_cast<double>(all - 1));
  const double whole = std::floor(place);
  double below = counts.begin()->first;
  std::uint64_t seen = 0;
  for (const auto& [value, count] : counts) {
    if (static_cast<double>(seen) > whole) return below + (value - below) * (place - whole);
    seen += count;
    below = value;
    if (static_cast<double>(seen) > whole + 1) return value;
  }
  return below;
}

Json spread_json(const Counts& counts, std::uint64_t all, double sum, double sigma) {
  double squares = 0;
  for (const auto& [value, count] : counts) squares += value * value * static_cast<double>(count);
  return extended_stats_json(all, all == 0 ? 0 : counts.begin()->first, all == 0 ? 0 : counts.rbegin()->first, sum,
                             squares, sigma);
}

Expected<Json> string_stats(const Json& facet) {
  std::uint64_t count = 0, letters = 0;
  std::size_t least = ~std::size_t{0}, most = 0;
  std::map<char32_t, std::uint64_t> each;
  if (facet.is_object())
    for (const Json& bucket : facet["buckets"]) {
      const auto& word = bucket["value"].get_ref<const std::string&>();
      const std::uint64_t times = bucket["count"];
      std::size_t length = 0;
      for (std::size_t at = 0; at < word.size(); ++length) {
        const text::CodePoint one = text::decode_utf8(word, at);
        each[one.value] += times;
        at += one.bytes;
      }
      count += times;
      letters += length * times;
      least = std::min(least, length);
      most = std::max(most, length);
    }
  if (count == 0)
    return Json{
        {"count", 0}, {"min_length", nullptr}, {"max_length", nullptr}, {"avg_length", nullptr}, {"entropy", 0.0}};
  double entropy = 0;
  for (const auto& [letter, times] : each) {
    const double share = static_cast<double>(times) / static_cast<double>(letters);
    entropy -= share * std::log2(share);
  }
  return Json{{"count", count},
              {"min_length", least},
              {"max_length", most},
              {"avg_length", static_cast<double>(letters) / static_cast<double>(count)},
              {"entropy", entropy}};
}

}  // namespace

bool is_over_values(const Aggregation& of) {
  const std::string& kind = of.kind;
  if (kind == "extended_stats" || kind == "median_absolute_deviation" || kind == "percentile_ranks" ||
      kind == "string_stats")
    return true;
  if (kind == "percentiles")
    return of.field->type == Type::kDate || of.definition.contains("missing") ||
           (of.as.by_values && of.field->type != Type::kBoolean);
  return of.field->type == Type::kBoolean &&
         (kind == "avg" || kind == "max" || kind == "min" || kind == "stats" || kind == "sum");
}

Json extended_stats_json(std::uint64_t count, double least, double most, double sum, double squares, double sigma) {
  const bool any = count > 0;
  const auto n = static_cast<double>(count);
  const auto or_null = [&](double value) { return any ? std::isnan(value) ? Json("NaN") : Json(value) : Json(); };
  const double mean = sum / n, variance = std::max(0.0, (squares - sum * sum / n) / n),
               sampled = count > 1 ? std::max(0.0, (squares - sum * sum / n) / (n - 1)) : NAN;
  const double deviation = std::sqrt(variance), sampled_deviation = std::sqrt(sampled);
  return {{"count", count},
          {"min", or_null(least)},
          {"max", or_null(most)},
          {"avg", or_null(mean)},
          {"sum", sum},
          {"sum_of_squares", or_null(squares)},
          {"variance", or_null(variance)},
          {"variance_population", or_null(variance)},
          {"variance_sampling", or_null(sampled)},
          {"std_deviation", or_null(deviation)},
          {"std_deviation_population", or_null(deviation)},
          {"std_deviation_sampling", or_null(sampled_deviation)},
          {"std_deviation_bounds",
           {{"upper", or_null(mean + sigma * deviation)},
            {"lower", or_null(mean - sigma * deviation)},
            {"upper_population", or_null(mean + sigma * deviation)},
            {"lower_population", or_null(mean - sigma * deviation)},
            {"upper_sampling", or_null(mean + sigma * sampled_deviation)},
            {"lower_sampling", or_null(mean - sigma * sampled_deviation)}}}};
}

Expected<Json> over_values(const Aggregation& of, const Json& facet, std::uint64_t missing) {
  if (facet.is_object() && facet["other"] != 0)
    return not_supported("[" + of.kind + "] aggregation of more than " + std::to_string(query::kMaxFacetSize) +
                         " different values");
  if (of.kind == "string_stats") return string_stats(facet);
  const bool date = of.field != nullptr && of.field->type == Type::kDate,
             boolean = of.field != nullptr && of.field->type == Type::kBoolean;
  Counts counts;
  if (facet.is_object())
    for (const Json& bucket : facet["buckets"]) {
      const Json& value = bucket["value"];
      const double number = date ? static_cast<double>(ms_of(value)) : boolean ? value == true : value.get<double>();
      counts[number] += bucket["count"].get<std::uint64_t>();
    }
  if (of.as.missing && missing > 0)
    counts[std::visit(
        [](const auto& one) {
          if constexpr (std::is_arithmetic_v<std::decay_t<decltype(one)>>) return static_cast<double>(one);
          return 0.0;
        },
        *of.as.missing)] += missing;
  std::uint64_t all = 0;
  long double sum = 0;
  for (const auto& [value, count] : counts) {
    all += count;
    sum += static_cast<long double>(value) * static_cast<long double>(count);
  }
  const auto text = [&](double value) -> std::optional<std::string> {
    if (boolean) return value != 0 ? "true" : "false";
    return date ? print_date(static_cast<std::int64_t>(std::floor(value)), of.as.format) : std::nullopt;
  };
  if (of.kind == "percentiles" || of.kind == "percentile_ranks") {
    Json values = of.as.keyed ? Json::object() : Json::array();
    for (const double asked : of.as.percents) {
      Json value = nullptr;
      if (all > 0 && of.kind == "percentiles") {
        value = percentile(counts, all, asked);
      } else if (all > 0) {
        double below = 0;
        for (const auto& [one, count] : counts)
          below += one < asked ? static_cast<double>(count) : one == asked ? static_cast<double>(count) / 2 : 0.0;
        if (asked >= counts.rbegin()->first) below = static_cast<double>(all);
        value = 100 * below / static_cast<double>(all);
      }
      const auto shown = value.is_null() || of.kind == "percentile_ranks" ? std::nullopt : text(value);
      const std::string key = Json(asked).dump();
      if (of.as.keyed) {
        values[key] = value;
        if (shown) values[key + "_as_string"] = *shown;
      } else {
        values.push_back({{"key", asked}, {"value", value}});
        if (shown) values.back()["value_as_string"] = *shown;
      }
    }
    return Json{{"values", std::move(values)}};
  }
  if (of.kind == "extended_stats") {
    const auto sigma = of.definition.find("sigma");
    if (sigma != of.definition.end() && !(sigma->is_number() && *sigma >= 0))
      return illegal_argument("[sigma] must be greater than or equal to 0");
    return spread_json(counts, all, static_cast<double>(sum), sigma == of.definition.end() ? 2 : sigma->get<double>());
  }
  if (of.kind == "median_absolute_deviation") {
    if (all == 0) return Json{{"value", nullptr}};
    const double median = percentile(counts, all, 50);
    Counts away;
    for (const auto& [value, count] : counts) away[std::abs(value - median)] += count;
    return Json{{"value", percentile(away, all, 50)}};
  }
  const auto number = [&](double value) { return all == 0 ? Json() : Json(value); };
  Json made = {{"min", number(all == 0 ? 0 : counts.begin()->first)},
               {"max", number(all == 0 ? 0 : counts.rbegin()->first)},
               {"sum", static_cast<double>(sum)},
               {"avg", number(static_cast<double>(sum) / static_cast<double>(all))}};
  if (of.kind == "stats") {
    for (const char* const name : {"min", "max", "avg", "sum"})
      if (all > 0)
        if (const auto shown = text(made[name])) made[std::string(name) + "_as_string"] = *shown;
    made["count"] = all;
    return made;
  }
  Json one = {{"value", made[of.kind]}};
  if (!one["value"].is_null())
    if (const auto shown = text(one["value"])) one["value_as_string"] = *shown;
  return one;
}

}  // namespace frond::broker::elasticsearch
