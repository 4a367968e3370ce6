#pragma once
// What facets say of some documents, value by value.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <nlohmann/json.hpp>

#include "common/query/facets/facet.h"
#include "tests/differential/queries/expected_dates.h"
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

using Documents = std::vector<const support::OracleDocument*>;
using MatchesClause = std::function<bool(const query::Clause&, const support::OracleDocument&)>;

class ExpectedFacet {
 public:
  // Of these documents. Borrows all.
  ExpectedFacet(const query::Facet& facet, const schema::Schema& schema, const MatchesClause& matches,
                const Documents& documents)
      : facet_(facet), schema_(schema), matches_(matches), field_(schema.find(facet.field)) {
    for (const support::OracleDocument* const document : documents) add(*document);
  }

  Json json() const {
    switch (facet_.kind) {
      case Kind::kDistinct:
        return {{"value", buckets_.size()}};
      case Kind::kStats:
        return stats();
      case Kind::kCount:
        return {{"documents", with_value_}, {"values", values_.size()}};
      case Kind::kPercentiles:
        return percentiles();
      case Kind::kFilter:
      case Kind::kMissing:
        return bucket(std::int64_t{0});
      case Kind::kFilters:
        return filters();
      case Kind::kValues:
        return values();
      case Kind::kRanges:
        return ranges();
      default:
        break;
    }
    Json shown = Json::array();
    for (const auto& [from, documents] : buckets_) {
      if (documents.size() < facet_.min_count) continue;
      Json one = bucket(from);
      one["from"] = json_of(field_->type, from);
      shown.push_back(std::move(one));
    }
    return {{"buckets", shown}, {"missing", missing_}};
  }

 private:
  using Kind = query::Facet::Kind;

  void add(const support::OracleDocument& document) {
    for (std::size_t i = 0; i < facet_.queries.size(); ++i)
      if (matches_(facet_.queries[i].clause, document)) buckets_[static_cast<std::int64_t>(i)].push_back(&document);
    if (field_ == nullptr) return;
    const auto at = document.values.find(static_cast<std::uint32_t>(field_ - schema_.fields.data()));
    if (at == document.values.end()) {
      ++missing_;
      if (facet_.kind == Kind::kMissing) buckets_[std::int64_t{0}].push_back(&document);
      return;
    }
    ++with_value_;
    if (facet_.kind == Kind::kMissing) return;
    std::set<schema::Value> in;
    for (const schema::Value& value : at->second) {
      in.insert(bucket_of(value));
      if (facet_.kind == Kind::kStats) sum_.add(value);
      values_.insert(value);
    }
    for (const schema::Value& one : in) buckets_[one].push_back(&document);
  }

  schema::Value bucket_of(const schema::Value& value) const {
    if (facet_.kind == Kind::kRanges)
      return std::int64_t{std::ranges::upper_bound(facet_.bounds, value) - facet_.bounds.begin()};
    if (facet_.kind == Kind::kDates) return start_of_date(facet_, std::get<std::int64_t>(value));
    if (facet_.kind != Kind::kHistogram) return value;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      const auto interval = static_cast<__int128>(facet_.interval);
      __int128 quotient = *whole / interval;
      if (quotient * interval > *whole) --quotient;
      return static_cast<std::int64_t>(std::max<__int128>(quotient * interval, INT64_MIN));
    }
    const double real = std::get<double>(value);
    // Intervals are small multiples of 1/4, so their multiples are exact until they are rounded to doubles.
    if (std::abs(real / facet_.interval) >= 0x1p53) return real;
    const auto multiple = [&](long double of) { return static_cast<double>(of * facet_.interval); };
    long double quotient = std::floor(real / static_cast<long double>(facet_.interval));
    while (multiple(quotient + 1) <= real) ++quotient;
    return multiple(quotient) + 0.0;
  }

  static Json facets_of(const std::vector<query::Facet>& facets, const schema::Schema& schema,
                        const MatchesClause& matches, const Documents& documents) {
    Json all = Json::object();
    for (const query::Facet& one : facets) all[one.name] = ExpectedFacet(one, schema, matches, documents).json();
    return all;
  }
  // The documents of a bucket, and what is inside it.
  Json bucket(const schema::Value& key) const {
    const auto at = buckets_.find(key);
    const Documents none;
    const Documents& documents = at == buckets_.end() ? none : at->second;
    Json made = {{"count", documents.size()}};
    if (!facet_.inside.empty()) made["facets"] = facets_of(facet_.inside, schema_, matches_, documents);
    return made;
  }

  // What a bucket is ordered by, smaller ones first; those without anything come last.
  std::pair<bool, schema::Value> rank(const Documents& documents) const {
    const query::BucketOrder& order = facet_.order;
    if (order.by == query::BucketOrder::By::kCount) return {false, static_cast<std::int64_t>(documents.size())};
    const auto by = std::ranges::find(facet_.inside, order.facet, &query::Facet::name);
    const ExpectedFacet of(*by, schema_, matches_, documents);
    if (order.member == "value") return {false, static_cast<std::int64_t>(of.buckets_.size())};
    if (order.member == "documents") return {false, static_cast<std::int64_t>(of.with_value_)};
    if (order.member == "count" || order.member == "values")
      return {false, static_cast<std::int64_t>(of.values_.size())};
    if (order.member == "sum") return {false, of.sum_.rounded() + 0.0};
    if (of.values_.empty()) return {true, std::int64_t{0}};
    if (order.member == "min") return {false, *of.values_.begin()};
    if (order.member == "max") return {false, *of.values_.rbegin()};
    return {false, of.mean() + 0.0};
  }
  Json values() const {
    std::vector<std::tuple<std::pair<bool, schema::Value>, schema::Value, std::uint64_t>> order;
    std::uint64_t other = 0;
    for (const auto& [value, documents] : buckets_) {
      if (documents.size() < facet_.min_count)
        other += documents.size();
      else if (facet_.order.by == query::BucketOrder::By::kValue)
        order.emplace_back(std::pair(false, value), value, documents.size());
      else
        order.emplace_back(rank(documents), value, documents.size());
    }
    std::ranges::stable_sort(order, [&](const auto& a, const auto& b) {
      const auto &rank_a = std::get<0>(a), &rank_b = std::get<0>(b);
      if (rank_a.first != rank_b.first) return rank_b.first;
      return facet_.order.descending ? rank_b.second < rank_a.second : rank_a.second < rank_b.second;
    });
    Json shown = Json::array();
    for (const auto& [rank, value, count] : order) {
      if (shown.size() == facet_.size) {
        other += count;
        continue;
      }
      Json one = bucket(value);
      one["value"] = json_of(field_->type, value);
      shown.push_back(std::move(one));
    }
    return {{"buckets", shown}, {"other", other}, {"missing", missing_}};
  }
  Json ranges() const {
    Json shown = Json::array();
    for (std::size_t i = 0; i <= facet_.bounds.size(); ++i) {
      Json one = bucket(static_cast<std::int64_t>(i));
      if (i > 0) one["from"] = json_of(field_->type, facet_.bounds[i - 1]);
      if (i < facet_.bounds.size()) one["to"] = json_of(field_->type, facet_.bounds[i]);
      shown.push_back(std::move(one));
    }
    return {{"buckets", shown}, {"missing", missing_}};
  }
  Json filters() const {
    Json shown = Json::array();
    for (std::size_t i = 0; i < facet_.queries.size(); ++i) {
      Json one = bucket(static_cast<std::int64_t>(i));
      one["name"] = facet_.queries[i].name;
      shown.push_back(std::move(one));
    }
    return {{"buckets", shown}};
  }
  // The exact values, which Percentiles in an answer may be 0.4 % from.
  Json percentiles() const {
    Json shown = Json::array();
    const std::vector<schema::Value> all(values_.begin(), values_.end());
    for (const double percent : facet_.percents) {
      const auto thousandths = static_cast<std::size_t>(std::llround(percent * 1000));
      const std::size_t rank = (thousandths * all.size() + 99'999) / 100'000;
      Json value;
      if (!all.empty()) value = json_of(field_->type, all[std::max<std::size_t>(rank, 1) - 1]);
      shown.push_back({{"percent", percent}, {"value", value}});
    }
    return {{"percentiles", shown}};
  }
  double mean() const {
    const double sum = sum_.rounded(), count = static_cast<double>(values_.size());
    return std::isfinite(sum) ? sum / count : std::ldexp(sum_.rounded(64) / count, 64);
  }
  Json stats() const {
    Json made = {{"count", values_.size()}, {"min", nullptr}, {"max", nullptr}, {"sum", 0}, {"mean", nullptr}};
    if (values_.empty()) return made;
    made["min"] = json_of(field_->type, *values_.begin());
    made["max"] = json_of(field_->type, *values_.rbegin());
    const double sum = sum_.rounded(), mean = this->mean();
    made["sum"] = std::isfinite(sum) ? Json(sum) : Json();
    if (field_->type == schema::FieldType::kDate)
      made["mean"] = json_of(field_->type, static_cast<std::int64_t>(std::llround(mean)));
    else if (std::isfinite(mean))
      made["mean"] = mean;
    return made;
  }

  const query::Facet& facet_;
  const schema::Schema& schema_;
  const MatchesClause& matches_;
  const schema::Field* field_;  // null: the facet has none
  std::map<schema::Value, Documents> buckets_;
  std::multiset<schema::Value> values_;  // the different ones of each document
  WholeSum sum_;
  std::uint64_t missing_ = 0, with_value_ = 0;
};

// Whether an answer's facets are the expected ones: values of percentiles up to 0.4 %, all else exactly.
inline bool are_same(const Json& got, const Json& expected) {
  if (got.is_object() && expected.is_object() && got.contains("percent") && expected.contains("percent")) {
    const Json &a = got["value"], &b = expected["value"];
    if (!a.is_number() || !b.is_number() || got["percent"] != expected["percent"]) return got == expected;
    return std::abs(a.get<double>() - b.get<double>()) <= std::abs(b.get<double>()) * 0.004 + 0x1p-1022;
  }
  if (got.type() != expected.type() || !got.is_structured() || got.size() != expected.size()) return got == expected;
  if (got.is_array()) return std::equal(got.begin(), got.end(), expected.begin(), are_same);
  for (auto one = got.begin(); one != got.end(); ++one)
    if (!expected.contains(one.key()) || !are_same(one.value(), expected[one.key()])) return false;
  return true;
}

}  // namespace frond::queries_test
