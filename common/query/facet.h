#pragma once
// What is to be counted over all documents that match. Pure functions.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/schema/json.h"
#include "common/schema/schema.h"

namespace frond::query {

inline constexpr std::size_t kMaxFacets = 32;
inline constexpr std::size_t kMaxFacetNameBytes = 256;
inline constexpr std::size_t kMaxFacetBounds = 1000;
inline constexpr std::uint32_t kMaxFacetSize = 10'000;  // buckets of values that are shown
inline constexpr std::size_t kMaxFacetsBytes = 256u << 10;

enum class DateUnit : std::uint8_t { kMinute, kHour, kDay, kWeek, kMonth, kQuarter, kYear };
inline constexpr std::string_view kDateUnitNames[] = {"minute", "hour", "day", "week", "month", "quarter", "year"};

struct Facet {
  enum class Kind : std::uint8_t { kValues, kRanges, kHistogram, kDates, kStats, kDistinct };
  std::string name, field;
  Kind kind = Kind::kValues;
  std::uint32_t size = 10;            // kValues: buckets shown
  std::vector<schema::Value> bounds;  // kRanges: ascending, distinct; lower ends are included
  double interval = 0;                // kHistogram: above 0; buckets begin at its multiples
  DateUnit unit = DateUnit::kMonth;   // kDates: of the calendar, in UTC; weeks begin on Mondays
  friend bool operator==(const Facet&, const Facet&) = default;
};
inline constexpr std::string_view kFacetKindNames[] = {"values", "ranges", "histogram", "dates", "stats", "distinct"};

// {"name": {"values": {"field": "tag", "size": 10}}, …}. `path`: "facets". kInvalid: anything else; the message has the
// member's path.
Result<std::vector<Facet>> read_facets(const schema::Json& json, std::string_view path);
// "tag:10,year:[2000,2010,2020],date:month,price:stats", "tag:distinct", "price:100.0:histogram"; a facet has its
// field's name. Messages follow the name of what the text was given as.
Result<std::vector<Facet>> parse_facets(std::string_view text);
// Facets with bounds in the types of their columns. kInvalid: a field that is no column (with the three nearest names),
// a kind that its type has not (ranges and stats: integer, float, date; histogram: integer, float; dates: date), a
// bound of another type.
Result<std::vector<Facet>> bind_facets(std::vector<Facet> facets, const schema::Schema& schema, std::string_view path);
// JSON that read_facets() reads; equal for equal facets.
std::string facets_json(const std::vector<Facet>& facets);

}  // namespace frond::query
