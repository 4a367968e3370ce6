#include "common/query/facet_counts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/base/check.h"
#include "common/query/column_key.h"

namespace frond::query {
namespace {

using schema::FieldType;

std::int64_t floor_quotient(std::int64_t value, std::int64_t unit) { return value / unit - (value % unit < 0 ? 1 : 0); }
// The greatest multiple of `unit` that is not above the value, or the least number.
std::int64_t floor_to(std::int64_t value, std::int64_t unit) {
  std::int64_t floor = 0;
  const bool below_all = __builtin_mul_overflow(floor_quotient(value, unit), unit, &floor);
  return below_all ? std::numeric_limits<std::int64_t>::min() : floor;
}

double floor_to(double value, double interval) {
  constexpr double kMaxWhole = 9007199254740992;  // 2^53: above it there may be no value between two multiples
  const double quotient = std::floor(value / interval);
  if (!(std::abs(quotient) < kMaxWhole)) return value;
  double start = quotient * interval;
  if (start > value) start = (quotient - 1) * interval;  // both were rounded
  if ((quotient + 1) * interval <= value) start = (quotient + 1) * interval;
  return std::isfinite(start) ? start + 0.0 : std::numeric_limits<double>::lowest();
}

// The Gregorian calendar before and after all of std::chrono's years (Hinnant, "chrono-Compatible Low-Level Date
// Algorithms"): days since 1970 of the first of a month, and back.
std::int64_t first_of_month(std::int64_t months) {  // since year 0
  const std::int64_t year = floor_quotient(months, 12), month = months - year * 12;
  const std::int64_t y = month < 2 ? year - 1 : year;  // years from March on
  const std::int64_t era = floor_quotient(y, 400), of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (month < 2 ? month + 10 : month - 2) + 2) / 5;
  return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719'468;
}
std::int64_t months_of_day(std::int64_t day) {
  const std::int64_t z = day + 719'468, era = floor_quotient(z, 146'097), of_era = z - era * 146'097;
  const std::int64_t year = (of_era - of_era / 1460 + of_era / 36'524 - of_era / 146'096) / 365;
  const std::int64_t day_of_year = of_era - (365 * year + year / 4 - year / 100);
  return (year + era * 400) * 12 + (5 * day_of_year + 2) / 153 + 2;
}

std::int64_t start_of_unit(DateUnit unit, std::int64_t ms) {
  constexpr std::int64_t kMinute = 60'000, kHour = 60 * kMinute, kDay = 24 * kHour;
  constexpr std::int64_t kMonday = 4 * kDay;  // 1970-01-05
  constexpr std::int64_t kLengths[] = {kMinute, kHour, kDay, 7 * kDay};
  constexpr std::int64_t kMonths[] = {1, 3, 12};
  const auto number = static_cast<std::size_t>(unit);
  if (unit < DateUnit::kWeek) return floor_to(ms, kLengths[number]);
  const std::int64_t day = floor_quotient(ms, kDay);
  std::int64_t first = 0;
  if (unit == DateUnit::kWeek)
    first = floor_to(day - kMonday / kDay, 7) + kMonday / kDay;
  else
    first = first_of_month(floor_to(months_of_day(day), kMonths[number - static_cast<std::size_t>(DateUnit::kMonth)]));
  std::int64_t start = 0;
  return __builtin_mul_overflow(first, kDay, &start) ? std::numeric_limits<std::int64_t>::min() : start;
}

// Adds counts by ascending keys to others.
template <class Key>
void add_buckets(const std::vector<Key>& more, const std::vector<std::uint64_t>& more_counts, std::vector<Key>& to,
                 std::vector<std::uint64_t>& to_counts) {
  std::vector<Key> keys;
  std::vector<std::uint64_t> counts;
  keys.reserve(std::max(more.size(), to.size()));
  std::size_t a = 0, b = 0;
  while (a < to.size() || b < more.size()) {
    const bool from_to = a < to.size() && (b == more.size() || to[a] <= more[b]);
    const bool from_more = b < more.size() && (a == to.size() || more[b] <= to[a]);
    std::uint64_t count = 0;
    if (from_to && !to_counts.empty()) count += to_counts[a];
    if (from_more && !more_counts.empty()) count += more_counts[b];
    if (!to_counts.empty() || !more_counts.empty()) counts.push_back(count);
    keys.push_back(from_to ? std::move(to[a]) : more[b]);
    a += from_to ? 1 : 0;
    b += from_more ? 1 : 0;
  }
  to = std::move(keys);
  to_counts = std::move(counts);
}

template <class Key>
bool ascending(const std::vector<Key>& keys) {
  return std::ranges::adjacent_find(keys, std::greater_equal<>()) == keys.end();
}

// What is wrong with the buckets; empty: nothing.
std::string_view problem_of_buckets(const FacetCounts& counts, const Facet& facet, FieldType type) {
  const bool by_value = facet.kind == Facet::Kind::kValues || facet.kind == Facet::Kind::kDistinct;
  const bool by_word = by_value && type == FieldType::kKeyword;
  if (by_word ? !counts.keys.empty() : !counts.words.empty()) return "buckets of another type";
  if (facet.kind == Facet::Kind::kStats && counts.buckets() != 0) return "buckets";
  if (!ascending(counts.keys) || !ascending(counts.words)) return "buckets that do not ascend";
  const auto valid = [&](std::uint64_t key) {
    return facet.kind == Facet::Kind::kRanges ? key <= facet.bounds.size() : is_column_key(type, key);
  };
  if (!std::ranges::all_of(counts.keys, valid)) return "a bucket that cannot be";
  const auto fits = [](const std::string& word) { return word.size() <= schema::kMaxKeywordBytes; };
  if (!std::ranges::all_of(counts.words, fits)) return "a word that is too long";
  if (counts.counts.size() != (facet.kind == Facet::Kind::kDistinct ? 0 : counts.buckets()))
    return "another number of counts than of buckets";
  const auto possible = [&](std::uint64_t count) { return count > 0 && count <= counts.with_value; };
  if (!std::ranges::all_of(counts.counts, possible)) return "a bucket of 0 or of more documents than there are";
  return "";
}

std::string_view problem_of_stats(const FacetCounts& counts, const Facet& facet, FieldType type) {
  if (counts.values == 0) {
    const FacetCounts none;
    const bool is_none = counts.least == none.least && counts.greatest == none.greatest && counts.sum == none.sum;
    return !is_none || (facet.kind == Facet::Kind::kStats && counts.with_value != 0) ? "sums of no values" : "";
  }
  if (facet.kind != Facet::Kind::kStats) return "sums";
  if (counts.values < counts.with_value || counts.with_value == 0) return "fewer values than documents with one";
  if (!is_column_key(type, counts.least) || !is_column_key(type, counts.greatest) || counts.least > counts.greatest)
    return "a least or greatest value that cannot be";
  return "";
}

}  // namespace

Result<void> add(const Facet& facet, const FacetCounts& more, std::size_t max_buckets, FacetCounts& to) {
  to.with_value += more.with_value;
  to.missing += more.missing;
  to.values += more.values;
  to.least = std::min(to.least, more.least);
  to.greatest = std::max(to.greatest, more.greatest);
  to.sum.add(more.sum);
  if (to.words.empty() && more.words.empty())
    add_buckets(more.keys, more.counts, to.keys, to.counts);
  else
    add_buckets(more.words, more.counts, to.words, to.counts);
  if (to.buckets() <= max_buckets) return {};
  return Error(Code::kInvalid, "facet " + schema::quote(facet.name) + " has more than " + std::to_string(max_buckets) +
                                   " different buckets");
}

Result<void> check(const FacetCounts& counts, const Facet& facet, const schema::Schema& schema) {
  const auto corrupt = [&](std::string_view what) {
    return Error(Code::kCorrupt, "counts of the facet " + schema::quote(facet.name) + " have " + std::string(what));
  };
  const schema::Field* const field = schema.find(facet.field);
  if (field == nullptr || !schema::is_column(field->type)) return corrupt("no column");
  std::string_view problem = problem_of_buckets(counts, facet, field->type);
  if (problem.empty()) problem = problem_of_stats(counts, facet, field->type);
  if (!problem.empty()) return corrupt(problem);
  return {};
}

std::uint64_t bucket_key(const Facet& facet, FieldType type, std::uint64_t key) {
  FROND_CHECK(type != FieldType::kKeyword && type != FieldType::kBoolean);
  const schema::Value value = schema::value_of_key(type, key);
  if (const auto* real = std::get_if<double>(&value))
    return schema::ordering_key(type, floor_to(*real, facet.interval));
  const auto whole = std::get<std::int64_t>(value);
  if (facet.kind == Facet::Kind::kDates) return schema::ordering_key(type, start_of_unit(facet.unit, whole));
  return schema::ordering_key(type, floor_to(whole, static_cast<std::int64_t>(facet.interval)));
}

}  // namespace frond::query
