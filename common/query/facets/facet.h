#pragma once
// What is to be counted over all documents that match: facets, and in the buckets of facets others. Pure functions, but
// for the rules of time zones, which bind_facets() reads from files.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/query/asked.h"
#include "common/query/clause.h"
#include "common/query/facets/time_zone.h"
#include "common/schema/json.h"
#include "common/schema/schema.h"

namespace frond::query {

inline constexpr std::size_t kMaxFacets = 32;        // of a search, those in others included
inline constexpr std::size_t kMaxFacetDepth = 8;     // facets in each other; one in none has 1
inline constexpr std::size_t kMaxFacetClauses = 64;  // of all facets of a search
inline constexpr std::size_t kMaxFacetNameBytes = 256;
inline constexpr std::size_t kMaxFacetBounds = 1000;
inline constexpr std::size_t kMaxPercents = 100;
inline constexpr std::uint32_t kMaxFacetSize = 10'000;                // buckets of values that are shown
inline constexpr std::int64_t kMaxDateOffsetMs = 366LL * 86'400'000;  // of dates, in both directions
inline constexpr std::size_t kMaxFacetsBytes = 256u << 10;

enum class DateUnit : std::uint8_t { kMinute, kHour, kDay, kWeek, kMonth, kQuarter, kYear };
inline constexpr std::string_view kDateUnitNames[] = {"minute", "hour", "day", "week", "month", "quarter", "year"};

// Which buckets of values come first; equal ones by value.
struct BucketOrder {
  enum class By : std::uint8_t { kCount, kValue, kFacet };
  By by = By::kCount;
  bool descending = true;
  std::string facet, member;  // kFacet: what this one, directly in the buckets, says: "mean"
  friend bool operator==(const BucketOrder&, const BucketOrder&) = default;
};

struct NamedClause {
  std::string name;
  Clause clause;
  friend bool operator==(const NamedClause&, const NamedClause&) = default;
};

struct Facet {
  enum class Kind : std::uint8_t {
    kValues,
    kRanges,
    kHistogram,
    kDates,
    kStats,
    kDistinct,
    kFilter,
    kFilters,
    kMissing,
    kPercentiles,
    kCount
  };
  std::string name, field;  // kFilter, kFilters: no field
  Kind kind = Kind::kValues;
  std::uint32_t size = 10;            // kValues: buckets shown
  BucketOrder order = {};             // kValues
  std::uint32_t min_count = 1;        // kValues, kHistogram, kDates: of buckets shown; 0, not of kValues: empty ones
  std::vector<schema::Value> bounds;  // kRanges: ascending, distinct; lower ends are included
  double interval = 0;                // kHistogram: above 0; buckets begin at its multiples
  DateUnit unit = DateUnit::kMonth;   // kDates: of the calendar; weeks begin on Mondays
  std::int64_t interval_ms = 0;       // kDates: above 0: in place of the unit, from 1970 on
  std::int64_t offset_ms = 0;         // kDates: all buckets begin so much later
  std::string zone = {};              // kDates: a name; empty: UTC, or `rules`
  ZoneRules rules = {};               // kDates, bound: of the zone
  std::vector<NamedClause> queries;   // kFilters; kFilter: one, without a name
  std::vector<double> percents;       // kPercentiles
  std::vector<Facet> inside;          // counted in each bucket
  friend bool operator==(const Facet&, const Facet&) = default;
};
inline constexpr std::string_view kFacetKindNames[] = {"values",  "ranges",      "histogram", "dates",
                                                       "stats",   "distinct",    "filter",    "filters",
                                                       "missing", "percentiles", "count"};
constexpr std::string_view name_of(Facet::Kind kind) { return kFacetKindNames[static_cast<std::size_t>(kind)]; }
// Whether others can be in it.
constexpr bool has_buckets(Facet::Kind kind) {
  return kind <= Facet::Kind::kDates || (kind >= Facet::Kind::kFilter && kind <= Facet::Kind::kMissing);
}
constexpr bool is_of_clauses(Facet::Kind kind) { return kind == Facet::Kind::kFilter || kind == Facet::Kind::kFilters; }
// Whether it is one of those that leaves and GPUs counted before there were facets in facets.
bool is_simple(const Facet& facet);

// Calls visit(facet) for each, and then for those inside it.
template <class Facets, class Visit>
void for_each_facet(Facets& facets, const Visit& visit) {
  for (auto& facet : facets) {
    visit(facet);
    for_each_facet(facet.inside, visit);
  }
}

// {"name": {"values": {"field": "tag", "size": 10}, "facets": {…}}, …}. `path`: "facets". kInvalid: anything else; the
// message has the member's path.
Result<std::vector<Facet>> read_facets(const schema::Json& json, std::string_view path);
// "tag:10,year:[2000,2010,2020],date:month,price:stats", "tag:distinct", "price:100.0:histogram"; a facet has its
// field's name. Messages follow the name of what the text was given as.
Result<std::vector<Facet>> parse_facets(std::string_view text);
// Facets with bounds in the types of their columns, the rules of their zones, and clauses in their normal form: of what
// they ask for (asked()), if `analyzer_of` is there; one that asks for nothing stays as it is.
// kInvalid: a field that is no column (with the three nearest names), a kind that its type has not (ranges and stats:
// integer, float, date; histogram and percentiles: integer, float; dates: date), a bound of another type, an unknown
// zone, and what bind() says of clauses.
Result<std::vector<Facet>> bind_facets(std::vector<Facet> facets, const schema::Schema& schema, std::string_view path,
                                       const AnalyzerOf& analyzer_of = {});
// JSON that read_facets() reads; equal for equal facets.
std::string facets_json(const std::vector<Facet>& facets);

// What no field decides of facets that were read. `path`: empty in the short text. kInvalid. Internal to this folder.
Result<void> check_facets(const std::vector<Facet>& facets, const std::string& path);
// Before they are read, since each takes far more memory than its text.
Result<void> check_number(std::size_t facets, const std::string& path);
Result<void> check_bounds(std::size_t bounds, const std::string& path);

}  // namespace frond::query
