#pragma once
// What facets say of some documents, value by value.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <nlohmann/json.hpp>

#include "common/query/facet.h"
#include "tests/support/oracle_collection.h"

namespace frond::queries_test {

using Json = nlohmann::json;

inline Json json_of(schema::FieldType type, const schema::Value& value) {
  if (type == schema::FieldType::kDate) return schema::text_of(type, value);
  return std::visit([](const auto& one) { return Json(one); }, value);
}

// A sum of doubles and integers without rounding: a whole number of 2^-1074.
class WholeSum {
 public:
  void add(const schema::Value& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      sum_ += Number(*whole) << kUnit;
      return;
    }
    int exponent = 0;
    const double fraction = std::frexp(std::get<double>(value), &exponent);
    const auto digits = static_cast<std::int64_t>(std::ldexp(fraction, 53));
    const int shift = exponent - 53 + kUnit;
    // A number below 2^-1074 · 2^53 has zeros at its end.
    sum_ += shift >= 0 ? Number(digits) << shift : Number(digits / (std::int64_t{1} << -shift));
  }
  // A 2^scale-th of it, to nearest, ties to even.
  double rounded(int scale = 0) const {
    Number magnitude = sum_ < 0 ? Number(-sum_) : sum_;
    if (magnitude == 0) return 0;
    const auto bits = static_cast<int>(msb(magnitude)) + 1;
    const int drop = std::max(bits - 53, 0);
    Number kept = magnitude >> drop;
    const Number rest = magnitude - (kept << drop), half = drop == 0 ? Number(0) : Number(1) << (drop - 1);
    if (drop != 0 && (rest > half || (rest == half && (kept & 1) != 0))) ++kept;
    const double value = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(kept)), drop - kUnit - scale);
    return sum_ < 0 ? -value : value;
  }

 private:
  using Number = boost::multiprecision::cpp_int;
  static constexpr int kUnit = 1074;
  Number sum_;
};

class ExpectedFacet {
 public:
  ExpectedFacet(const query::Facet& facet, const schema::Schema& schema)
      : facet_(facet),
        field_(*schema.find(facet.field)),
        number_(static_cast<std::uint32_t>(&field_ - schema.fields.data())) {}

  void add(const support::OracleDocument& document) {
    const auto at = document.values.find(number_);
    if (at == document.values.end()) {
      ++missing_;
      return;
    }
    std::set<schema::Value> buckets;
    for (const schema::Value& value : at->second) {
      buckets.insert(bucket_of(value));
      if (facet_.kind == Kind::kStats) sum_.add(value);
      values_.insert(value);
    }
    for (const schema::Value& bucket : buckets) ++counts_[bucket];
  }

  Json json() const {
    switch (facet_.kind) {
      case Kind::kDistinct:
        return {{"value", counts_.size()}};
      case Kind::kStats:
        return stats();
      case Kind::kValues:
        return values();
      case Kind::kRanges:
        return ranges();
      default:
        break;
    }
    Json buckets = Json::array();
    for (const auto& [from, count] : counts_)
      buckets.push_back({{"from", json_of(field_.type, from)}, {"count", count}});
    return {{"buckets", buckets}, {"missing", missing_}};
  }

 private:
  using Kind = query::Facet::Kind;

  schema::Value bucket_of(const schema::Value& value) const {
    if (facet_.kind == Kind::kRanges)
      return std::int64_t{std::ranges::upper_bound(facet_.bounds, value) - facet_.bounds.begin()};
    if (facet_.kind == Kind::kDates) return start_of(std::get<std::int64_t>(value));
    if (facet_.kind != Kind::kHistogram) return value;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      const auto interval = static_cast<__int128>(facet_.interval);
      __int128 quotient = *whole / interval;
      if (quotient * interval > *whole) --quotient;
      return static_cast<std::int64_t>(std::max<__int128>(quotient * interval, INT64_MIN));
    }
    // Intervals are multiples of 1/4: exact, up to where doubles have no fractions.
    const double real = std::get<double>(value);
    if (std::abs(real / facet_.interval) >= 0x1p53) return real;
    double start = std::floor(real / facet_.interval) * facet_.interval;
    if (start > real) start -= facet_.interval;
    return start + 0.0;
  }
  std::int64_t start_of(std::int64_t ms) const {
    using namespace std::chrono;
    const sys_time<milliseconds> at{milliseconds(ms)};
    const sys_days day = floor<days>(at);
    const year_month_day date(day);
    const auto of = [](auto time) { return std::int64_t{floor<milliseconds>(time).time_since_epoch().count()}; };
    switch (facet_.unit) {
      case query::DateUnit::kMinute:
        return of(floor<minutes>(at));
      case query::DateUnit::kHour:
        return of(floor<hours>(at));
      case query::DateUnit::kDay:
        return of(day);
      case query::DateUnit::kWeek:
        return of(day - (weekday(day) - Monday));
      case query::DateUnit::kMonth:
        return of(sys_days(date.year() / date.month() / 1));
      case query::DateUnit::kQuarter:
        return of(sys_days(date.year() / month((static_cast<unsigned>(date.month()) - 1) / 3 * 3 + 1) / 1));
      case query::DateUnit::kYear:
        return of(sys_days(date.year() / January / 1));
    }
    return 0;
  }

  Json values() const {
    std::vector<std::pair<schema::Value, std::uint64_t>> order(counts_.begin(), counts_.end());
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.second > b.second; });
    Json buckets = Json::array();
    std::uint64_t other = 0;
    for (const auto& [value, count] : order) {
      if (buckets.size() < facet_.size)
        buckets.push_back({{"value", json_of(field_.type, value)}, {"count", count}});
      else
        other += count;
    }
    return {{"buckets", buckets}, {"other", other}, {"missing", missing_}};
  }
  Json ranges() const {
    Json buckets = Json::array();
    for (std::size_t i = 0; i <= facet_.bounds.size(); ++i) {
      const auto at = counts_.find(static_cast<std::int64_t>(i));
      Json bucket = {{"count", at == counts_.end() ? 0 : at->second}};
      if (i > 0) bucket["from"] = json_of(field_.type, facet_.bounds[i - 1]);
      if (i < facet_.bounds.size()) bucket["to"] = json_of(field_.type, facet_.bounds[i]);
      buckets.push_back(std::move(bucket));
    }
    return {{"buckets", buckets}, {"missing", missing_}};
  }
  Json stats() const {
    Json made = {{"count", values_.size()}, {"min", nullptr}, {"max", nullptr}, {"sum", 0}, {"mean", nullptr}};
    if (values_.empty()) return made;
    made["min"] = json_of(field_.type, *values_.begin());
    made["max"] = json_of(field_.type, *values_.rbegin());
    const double sum = sum_.rounded(), count = static_cast<double>(values_.size());
    const double mean = std::isfinite(sum) ? sum / count : std::ldexp(sum_.rounded(64) / count, 64);
    made["sum"] = std::isfinite(sum) ? Json(sum) : Json();
    if (field_.type == schema::FieldType::kDate)
      made["mean"] = json_of(field_.type, static_cast<std::int64_t>(std::llround(mean)));
    else if (std::isfinite(mean))
      made["mean"] = mean;
    return made;
  }

  const query::Facet& facet_;
  const schema::Field& field_;
  const std::uint32_t number_;
  std::map<schema::Value, std::uint64_t> counts_;  // documents by bucket
  std::multiset<schema::Value> values_;            // the different ones of each document
  WholeSum sum_;
  std::uint64_t missing_ = 0;
};

}  // namespace frond::queries_test
