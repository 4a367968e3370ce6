#include "common/query/facets/facet.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "common/base/text.h"
#include "common/query/bind.h"
#include "common/query/normal_form.h"

namespace frond::query {
namespace {

using schema::FieldType;
using Kind = Facet::Kind;

Error invalid(const std::string& path, const std::string& what) {
  return {Code::kInvalid, path + (path.empty() ? "" : " ") + what};
}

template <class Enum, std::size_t kCount>
std::optional<Enum> named(const std::string_view (&names)[kCount], std::string_view name) {
  const auto* const found = std::ranges::find(names, name);
  if (found == std::end(names)) return {};
  return static_cast<Enum>(found - std::begin(names));
}

std::string not_from(std::string_view what, std::size_t has, std::size_t most) {
  return "has " + std::to_string(has) + " " + std::string(what) + ", not 1 to " + std::to_string(most);
}

// What buckets are ordered by: a number that a facet in them says.
bool is_said_by(const Facet& facet, std::string_view member) {
  constexpr std::string_view kOfStats[] = {"count", "min", "max", "sum", "mean"};
  if (facet.kind == Kind::kStats) return std::ranges::find(kOfStats, member) != std::end(kOfStats);
  if (facet.kind == Kind::kCount) return member == "documents" || member == "values";
  return facet.kind == Kind::kDistinct && member == "value";
}

Result<void> check_facet(const Facet& facet, const std::string& path) {
  if (facet.size == 0 || facet.size > kMaxFacetSize)
    return invalid(path, "has the size " + std::to_string(facet.size) + ", not 1 to " + std::to_string(kMaxFacetSize));
  if (facet.kind == Kind::kValues && facet.min_count == 0) return invalid(path, "has a min_count of 0");
  if (facet.kind == Kind::kRanges) FROND_TRY(check_bounds(facet.bounds.size(), path));
  if (facet.kind == Kind::kHistogram && !(facet.interval > 0 && std::isfinite(facet.interval)))
    return invalid(path, "has no interval above 0");
  if (facet.kind == Kind::kFilters && facet.queries.empty()) return invalid(path, "has no queries");
  for (const NamedClause& one : facet.queries)
    if (one.name.size() > kMaxFacetNameBytes) return invalid(path, "has a query with a name of more than 256 bytes");
  if (facet.kind == Kind::kPercentiles) {
    if (facet.percents.empty() || facet.percents.size() > kMaxPercents)
      return invalid(path, not_from("percents", facet.percents.size(), kMaxPercents));
    for (const double one : facet.percents)
      if (!(one > 0 && one <= 100)) return invalid(path, "has percents that are not above 0 and up to 100");
  }
  if (facet.order.by == BucketOrder::By::kFacet) {
    const auto says = [&](const Facet& one) {
      return one.name == facet.order.facet && is_said_by(one, facet.order.member);
    };
    if (std::ranges::none_of(facet.inside, says))
      return invalid(path, "is ordered by " + schema::quote(facet.order.facet + "." + facet.order.member) +
                               ", which no facet in its buckets says");
  }
  if (!facet.inside.empty() && !has_buckets(facet.kind))
    return invalid(path, "is " + std::string(name_of(facet.kind)) + ", which has no buckets for facets");
  return {};
}

Result<void> check_level(const std::vector<Facet>& facets, const std::string& path) {
  for (const Facet& facet : facets) {
    const std::string here = path.empty() ? schema::quote(facet.name) : schema::member_path(path, facet.name);
    if (facet.name.empty() || facet.name.size() > kMaxFacetNameBytes)
      return invalid(path, "has a name of " + std::to_string(facet.name.size()) + " bytes, not 1 to " +
                               std::to_string(kMaxFacetNameBytes));
    FROND_TRY(check_facet(facet, here));
    const auto same = [&](const Facet& other) { return &other < &facet && other.name == facet.name; };
    if (std::ranges::any_of(facets, same))
      return invalid(here, "is there twice; as a JSON object, facets have names of their own");
    FROND_TRY(check_level(facet.inside, schema::member_path(here, "facets")));
  }
  return {};
}

// The end of the facet that begins `text`: a comma outside of brackets, or the end.
std::size_t end_of_facet(std::string_view text) {
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') inside = true;
    if (text[i] == ']') inside = false;
    if (text[i] == ',' && !inside) return i;
  }
  return text.size();
}

// "tag", "tag:10", "year:[2000,2010]", "date:month", "price:stats", "price:100.0:histogram".
Result<Facet> parse_facet(std::string_view text) {
  Facet facet;
  const std::string_view name = trimmed(text.substr(0, text.find(':')));
  facet.name = facet.field = std::string(name);
  if (!schema::is_field_name(name))
    return Error(Code::kInvalid, schema::quote(std::string(text)) + " begins with no name of a field");
  const auto colon = text.find(':');
  if (colon == text.npos) return facet;
  std::string_view what = trimmed(text.substr(colon + 1));
  const auto unknown = [&] {
    return Error(Code::kInvalid, schema::quote(std::string(text)) +
                                     " has behind its colon no number of values, no [bounds], no unit of dates, no "
                                     "interval:histogram, and none of values, stats, distinct and count");
  };
  if (what.starts_with('[')) {
    if (!what.ends_with(']')) return unknown();
    facet.kind = Kind::kRanges;
    what = what.substr(1, what.size() - 2);
    FROND_TRY(check_bounds(static_cast<std::size_t>(std::ranges::count(what, ',')) + 1, schema::quote(facet.name)));
    for (bool more = true; more;) {
      const std::string_view bound = what.substr(0, what.find(','));
      more = bound.size() < what.size();
      what.remove_prefix(bound.size() + (more ? 1 : 0));
      facet.bounds.emplace_back(std::string(trimmed(bound)));
    }
    return facet;
  }
  constexpr std::string_view kHistogram = ":histogram";
  if (what.ends_with(kHistogram)) {
    const auto interval = number_in<double>(what.substr(0, what.size() - kHistogram.size()));
    if (!interval) return unknown();
    facet.kind = Kind::kHistogram;
    facet.interval = *interval;
    return facet;
  }
  if (const auto size = number_in<std::uint32_t>(what)) {
    facet.size = *size;
    return facet;
  }
  if (const auto unit = named<DateUnit>(kDateUnitNames, what)) {
    facet.kind = Kind::kDates;
    facet.unit = *unit;
    return facet;
  }
  const auto kind = named<Kind>(kFacetKindNames, what);
  constexpr Kind kAlone[] = {Kind::kValues, Kind::kStats, Kind::kDistinct, Kind::kCount};
  if (!kind || std::ranges::find(kAlone, *kind) == std::end(kAlone)) return unknown();
  facet.kind = *kind;
  return facet;
}

// The types whose columns can be counted so, for a message; empty: all can.
std::string_view types_of(Kind kind, FieldType type) {
  const bool number = type == FieldType::kInteger || type == FieldType::kFloat, date = type == FieldType::kDate;
  if (kind == Kind::kRanges || kind == Kind::kStats) return number || date ? "" : "integer, float and date";
  if (kind == Kind::kHistogram || kind == Kind::kPercentiles) return number ? "" : "integer and float";
  return kind != Kind::kDates || date ? "" : "date";
}

using Zones = std::map<std::string, ZoneRules>;  // those that were read already, by name

Result<void> bind_column(Facet& facet, const schema::Schema& schema, const std::string& path, Zones& zones) {
  const schema::Field* const field = schema.find(facet.field);
  if (field == nullptr) return unknown_field(schema, facet.field).within(path);
  const std::string type(schema::name_of(field->type)), subject = path + ": field '" + field->name + "'";
  if (!schema::is_column(field->type)) return invalid(subject, "is " + type + ", and only columns have facets");
  const std::string_view types = types_of(facet.kind, field->type);
  if (!types.empty())
    return invalid(subject, "is " + type + ", and " + std::string(name_of(facet.kind)) + " is for fields of type " +
                                std::string(types));
  for (schema::Value& bound : facet.bounds) {
    auto typed = schema::typed_value(field->type, bound, schema::Reading::kLenient);
    if (!typed) return std::move(typed).error().within(subject);
    bound = *std::move(typed);
  }
  if (std::ranges::adjacent_find(facet.bounds, std::greater_equal<>()) != facet.bounds.end())
    return invalid(subject, "has bounds that do not ascend");
  constexpr double kMaxWhole = 9007199254740992;  // 2^53: doubles have all whole numbers up to it
  if (facet.kind == Kind::kHistogram && field->type == FieldType::kInteger &&
      (std::trunc(facet.interval) != facet.interval || facet.interval > kMaxWhole))
    return invalid(subject, "is integer, so the interval is a whole number of at most 2^53");
  if (facet.zone.empty()) return {};
  const auto [zone, is_new] = zones.try_emplace(facet.zone);
  if (is_new) {
    auto rules = zone_rules(facet.zone);
    if (!rules) return std::move(rules).error().within(path);
    zone->second = *std::move(rules);
  }
  facet.rules = zone->second;
  return {};
}

Result<void> bind_level(std::vector<Facet>& facets, const schema::Schema& schema, const AnalyzerOf& analyzer_of,
                        const std::string& path, Zones& zones) {
  for (Facet& facet : facets) {
    const std::string here = schema::member_path(path, facet.name);
    if (!is_of_clauses(facet.kind)) FROND_TRY(bind_column(facet, schema, here, zones));
    for (NamedClause& one : facet.queries) {
      one.clause = FROND_TRY(query::bind(one.clause, schema, here));
      const auto left = analyzer_of ? asked(one.clause, analyzer_of) : one.clause;
      if (left) one.clause = normal_form(*left, schema);
    }
    FROND_TRY(bind_level(facet.inside, schema, analyzer_of, schema::member_path(here, "facets"), zones));
  }
  return {};
}

}  // namespace

bool is_simple(const Facet& facet) {
  return facet.kind <= Kind::kDistinct && facet.inside.empty() && facet.order == BucketOrder() &&
         facet.min_count == 1 && facet.interval_ms == 0 && facet.offset_ms == 0 && facet.zone.empty() &&
         facet.rules.empty();
}

Result<void> check_number(std::size_t facets, const std::string& path) {
  if (facets <= kMaxFacets) return {};
  return invalid(
      path, "has " + std::to_string(facets) + " facets, and at most " + std::to_string(kMaxFacets) + " can be counted");
}
Result<void> check_bounds(std::size_t bounds, const std::string& path) {
  if (bounds > 0 && bounds <= kMaxFacetBounds) return {};
  return invalid(path, not_from("bounds", bounds, kMaxFacetBounds));
}
Result<void> check_facets(const std::vector<Facet>& facets, const std::string& path) {
  std::size_t all = 0, clauses = 0;
  for_each_facet(facets, [&](const Facet& facet) {
    ++all;
    clauses += facet.queries.size();
  });
  FROND_TRY(check_number(all, path));
  if (clauses > kMaxFacetClauses)
    return invalid(path, "has " + std::to_string(clauses) + " queries in its facets, more than " +
                             std::to_string(kMaxFacetClauses));
  return check_level(facets, path);
}

Result<std::vector<Facet>> parse_facets(std::string_view text) {
  std::size_t items = 1;
  for (std::size_t at = end_of_facet(text); at < text.size(); at += 1 + end_of_facet(text.substr(at + 1))) ++items;
  FROND_TRY(check_number(items, ""));
  std::vector<Facet> facets;
  for (bool more = true; more;) {
    const std::string_view item = text.substr(0, end_of_facet(text));
    more = item.size() < text.size();
    text.remove_prefix(item.size() + (more ? 1 : 0));
    facets.push_back(FROND_TRY(parse_facet(trimmed(item))));
  }
  FROND_TRY(check_facets(facets, ""));
  return facets;
}

Result<std::vector<Facet>> bind_facets(std::vector<Facet> facets, const schema::Schema& schema, std::string_view path,
                                       const AnalyzerOf& analyzer_of) {
  Zones zones;
  FROND_TRY(bind_level(facets, schema, analyzer_of, std::string(path), zones));
  return facets;
}

}  // namespace frond::query
