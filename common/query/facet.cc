#include "common/query/facet.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "common/base/text.h"
#include "common/query/clause_reader.h"
#include "common/schema/nearest_names.h"

namespace frond::query {
namespace {

using schema::FieldType;
using schema::Json;

Error invalid(const std::string& path, const std::string& what) {
  return {Code::kInvalid, path + (path.empty() ? "" : " ") + what};
}

template <class Enum, std::size_t kCount>
std::optional<Enum> named(const std::string_view (&names)[kCount], std::string_view name) {
  const auto* const found = std::ranges::find(names, name);
  if (found == std::end(names)) return {};
  return static_cast<Enum>(found - std::begin(names));
}

std::string_view kind_name(Facet::Kind kind) { return kFacetKindNames[static_cast<std::size_t>(kind)]; }

// Checked before they are read, since each takes far more memory than its text.
Result<void> check_number(std::size_t facets, const std::string& path) {
  if (facets <= kMaxFacets) return {};
  return invalid(
      path, "has " + std::to_string(facets) + " facets, and at most " + std::to_string(kMaxFacets) + " can be counted");
}
Result<void> check_bounds(std::size_t bounds, const std::string& path) {
  if (bounds > 0 && bounds <= kMaxFacetBounds) return {};
  return invalid(path, "has " + std::to_string(bounds) + " bounds, not 1 to " + std::to_string(kMaxFacetBounds));
}

// What no field decides. `path`: empty in the short text.
Result<void> check_limits(const std::vector<Facet>& facets, const std::string& path) {
  for (const Facet& facet : facets) {
    const std::string here = path.empty() ? schema::quote(facet.name) : schema::member_path(path, facet.name);
    if (facet.name.empty() || facet.name.size() > kMaxFacetNameBytes)
      return invalid(path, "has a name of " + std::to_string(facet.name.size()) + " bytes, not 1 to " +
                               std::to_string(kMaxFacetNameBytes));
    if (facet.size == 0 || facet.size > kMaxFacetSize)
      return invalid(here,
                     "has the size " + std::to_string(facet.size) + ", not 1 to " + std::to_string(kMaxFacetSize));
    if (facet.kind == Facet::Kind::kHistogram && !(facet.interval > 0 && std::isfinite(facet.interval)))
      return invalid(here, "has no interval above 0");
    const auto same = [&](const Facet& other) { return &other < &facet && other.name == facet.name; };
    if (std::ranges::any_of(facets, same))
      return invalid(here, "is there twice; as a JSON object, facets have names of their own");
  }
  return {};
}

Result<Facet> read_facet(const Json::Member& member, const std::string& path) {
  const auto* const object = member.value.object();
  if (object == nullptr || object->size() != 1)
    return invalid(path, "is no object with one member, such as {\"values\":{\"field\":\"tag\"}}");
  const auto& [kind_text, json] = object->front();
  const auto kind = named<Facet::Kind>(kFacetKindNames, kind_text);
  if (!kind)
    return invalid(
        path, "has an unknown kind " + schema::quote(kind_text) + schema::nearest_hint(kind_text, kFacetKindNames));
  constexpr std::string_view kMembers[] = {"size", "bounds", "interval", "interval", "", ""};
  const std::string_view own = kMembers[static_cast<std::size_t>(*kind)];
  const std::string here = schema::member_path(path, kind_text);
  ClauseMembers members =
      own.empty() ? ClauseMembers(json, here, {"field"}) : ClauseMembers(json, here, {"field", own});
  Facet facet;
  facet.name = member.name;
  facet.kind = *kind;
  facet.field = members.text("field");
  if (facet.kind == Facet::Kind::kValues && members.find(own) != nullptr) facet.size = members.whole(own);
  if (facet.kind == Facet::Kind::kRanges) {
    const Json::Array& bounds = members.array(own, true);
    if (members.ok()) FROND_TRY(check_bounds(bounds.size(), path));
    for (const Json& bound : bounds) {
      if (const auto* value = bound.scalar())
        facet.bounds.push_back(*value);
      else
        members.fail(members.path(own), "has " + std::string(bound.kind()) + ", not a value");
    }
  }
  if (facet.kind == Facet::Kind::kHistogram) {
    const Json& interval = members.member(own);
    if (const auto* whole = interval.as<std::int64_t>()) facet.interval = static_cast<double>(*whole);
    if (const auto* real = interval.as<double>()) facet.interval = *real;
  }
  if (facet.kind == Facet::Kind::kDates) {
    const std::string unit = members.text(own);
    const auto found = named<DateUnit>(kDateUnitNames, unit);
    if (!found)
      members.fail(members.path(own), "is " + schema::quote(unit) +
                                          ", not one of minute, hour, day, week, month, "
                                          "quarter and year");
    facet.unit = found.value_or(DateUnit::kMonth);
  }
  if (!members.ok()) return members.error();
  return facet;
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
                                     "interval:histogram, and neither values, stats nor distinct");
  };
  if (what.starts_with('[')) {
    if (!what.ends_with(']')) return unknown();
    facet.kind = Facet::Kind::kRanges;
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
    facet.kind = Facet::Kind::kHistogram;
    facet.interval = *interval;
    return facet;
  }
  if (const auto size = number_in<std::uint32_t>(what)) {
    facet.size = *size;
    return facet;
  }
  if (const auto unit = named<DateUnit>(kDateUnitNames, what)) {
    facet.kind = Facet::Kind::kDates;
    facet.unit = *unit;
    return facet;
  }
  const auto kind = named<Facet::Kind>(kFacetKindNames, what);
  if (kind != Facet::Kind::kValues && kind != Facet::Kind::kStats && kind != Facet::Kind::kDistinct) return unknown();
  facet.kind = *kind;
  return facet;
}

// What a column's type cannot be counted by; empty: it can.
std::string_view types_of(Facet::Kind kind, FieldType type) {
  const bool number = type == FieldType::kInteger || type == FieldType::kFloat, date = type == FieldType::kDate;
  if (kind == Facet::Kind::kRanges || kind == Facet::Kind::kStats)
    return number || date ? "" : "integer, float and date";
  if (kind == Facet::Kind::kHistogram) return number ? "" : "integer and float";
  return kind != Facet::Kind::kDates || date ? "" : "date";
}

Result<void> bind_facet(Facet& facet, const schema::Schema& schema, const std::string& path) {
  const schema::Field* const field = schema.find(facet.field);
  if (field == nullptr) return unknown_field(schema, facet.field).within(path);
  const std::string type(schema::name_of(field->type)), subject = path + ": field '" + field->name + "'";
  if (!schema::is_column(field->type)) return invalid(subject, "is " + type + ", and only columns have facets");
  const std::string_view types = types_of(facet.kind, field->type);
  if (!types.empty())
    return invalid(subject, "is " + type + ", and " + std::string(kind_name(facet.kind)) + " is for fields of type " +
                                std::string(types));
  for (schema::Value& bound : facet.bounds) {
    auto typed = schema::typed_value(field->type, bound, schema::Reading::kLenient);
    if (!typed) return std::move(typed).error().within(subject);
    bound = *std::move(typed);
  }
  if (std::ranges::adjacent_find(facet.bounds, std::greater_equal<>()) != facet.bounds.end())
    return invalid(subject, "has bounds that do not ascend");
  constexpr double kMaxWhole = 9007199254740992;  // 2^53: doubles have all whole numbers up to it
  if (facet.kind == Facet::Kind::kHistogram && field->type == FieldType::kInteger &&
      (std::trunc(facet.interval) != facet.interval || facet.interval > kMaxWhole))
    return invalid(subject, "is integer, so the interval is a whole number of at most 2^53");
  return {};
}

}  // namespace

Result<std::vector<Facet>> read_facets(const Json& json, std::string_view path) {
  const std::string here(path);
  const auto* const object = json.object();
  if (object == nullptr) return invalid(here, "is " + std::string(json.kind()) + ", not an object of facets by name");
  FROND_TRY(check_number(object->size(), here));
  std::vector<Facet> facets;
  for (const Json::Member& member : *object)
    facets.push_back(FROND_TRY(read_facet(member, schema::member_path(path, member.name))));
  FROND_TRY(check_limits(facets, here));
  return facets;
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
  FROND_TRY(check_limits(facets, ""));
  return facets;
}

Result<std::vector<Facet>> bind_facets(std::vector<Facet> facets, const schema::Schema& schema, std::string_view path) {
  for (Facet& facet : facets) FROND_TRY(bind_facet(facet, schema, schema::member_path(path, facet.name)));
  return facets;
}

std::string facets_json(const std::vector<Facet>& facets) {
  std::string json;
  for (const Facet& facet : facets) {
    json += (json.empty() ? "{" : ",") + schema::json_string(facet.name) + ":{\"" + std::string(kind_name(facet.kind)) +
            "\":{\"field\":" + schema::json_string(facet.field);
    switch (facet.kind) {
      case Facet::Kind::kValues:
        json += ",\"size\":" + std::to_string(facet.size);
        break;
      case Facet::Kind::kRanges:
        json += ",\"bounds\":";
        for (const schema::Value& bound : facet.bounds)
          json += (&bound == &facet.bounds.front() ? "[" : ",") + schema::json_scalar(bound);
        json += ']';
        break;
      case Facet::Kind::kHistogram:
        json += ",\"interval\":" + schema::text_of(facet.interval);
        break;
      case Facet::Kind::kDates:
        json += ",\"interval\":" + schema::json_string(kDateUnitNames[static_cast<std::size_t>(facet.unit)]);
        break;
      case Facet::Kind::kStats:
      case Facet::Kind::kDistinct:
        break;
    }
    json += "}}";
  }
  return json.empty() ? "{}" : json + '}';
}

}  // namespace frond::query
