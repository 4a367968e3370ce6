// Facets from JSON, and back.
#include <algorithm>
#include <optional>
#include <utility>

#include "common/query/facets/facet.h"
#include "common/query/json/clause_json.h"
#include "common/query/json/clause_reader.h"
#include "common/schema/nearest_names.h"

namespace frond::query {
namespace {

using schema::Json;
using Kind = Facet::Kind;

Error unreadable(const std::string& path, const std::string& what) { return {Code::kInvalid, path + " " + what}; }

std::optional<double> number_of(const Json& json) {
  if (const auto* whole = json.as<std::int64_t>()) return static_cast<double>(*whole);
  if (const auto* real = json.as<double>()) return *real;
  return {};
}

// By kind.
const std::initializer_list<std::string_view> kMembers[] = {{"field", "size", "order", "min_count"},
                                                            {"field", "bounds"},
                                                            {"field", "interval", "min_count"},
                                                            {"field", "interval", "zone", "offset", "min_count"},
                                                            {"field"},
                                                            {"field"},
                                                            {"query"},
                                                            {"queries"},
                                                            {"field"},
                                                            {"field", "percents"},
                                                            {"field"}};

// Members of one facet's object, below its kind.
class FacetReader {
 public:
  FacetReader(const Json& json, const std::string& path, Facet& to)
      : members_(json, path, kMembers[static_cast<std::size_t>(to.kind)]), to_(to) {}

  Result<void> read() {
    if (!is_of_clauses(to_.kind)) to_.field = members_.text("field");
    if (members_.find("size") != nullptr) to_.size = members_.whole("size");
    if (members_.find("min_count") != nullptr) to_.min_count = members_.whole("min_count");
    if (members_.find("order") != nullptr) read_order(members_.text("order"));
    if (to_.kind == Kind::kRanges) read_bounds();
    if (to_.kind == Kind::kHistogram) to_.interval = number_of(members_.member("interval")).value_or(0);
    if (to_.kind == Kind::kDates) read_dates();
    if (to_.kind == Kind::kFilter) read_clause_of("", members_.member("query"), members_.path("query"));
    if (to_.kind == Kind::kFilters) read_clauses();
    if (to_.kind == Kind::kPercentiles) read_percents();
    if (!members_.ok()) return members_.error();
    return {};
  }

 private:
  // "_count", "_value:desc", "price.mean:asc".
  void read_order(std::string_view text) {
    const auto colon = text.rfind(':');
    const std::string_view key = text.substr(0, colon), direction = colon == text.npos ? "" : text.substr(colon + 1);
    const auto dot = key.rfind('.');
    BucketOrder& order = to_.order;
    order.by = key == "_value"   ? BucketOrder::By::kValue
               : key == "_count" ? BucketOrder::By::kCount
                                 : BucketOrder::By::kFacet;
    order.descending = direction.empty() ? order.by == BucketOrder::By::kCount : direction == "desc";
    const bool known = colon == text.npos || direction == "asc" || direction == "desc";
    if (order.by == BucketOrder::By::kFacet && dot != key.npos) {
      order.facet = std::string(key.substr(0, dot));
      order.member = std::string(key.substr(dot + 1));
    }
    if (!known || (order.by == BucketOrder::By::kFacet && order.facet.empty()))
      members_.fail(members_.path("order"), "is " + schema::quote(std::string(text)) +
                                                ", not _count, _value or what a facet in the buckets says, such as "
                                                "price.mean, with :asc or :desc");
  }
  void read_bounds() {
    const Json::Array& bounds = members_.array("bounds", true);
    if (!members_.ok()) return;
    if (auto checked = check_bounds(bounds.size(), members_.path("bounds")); !checked)
      return members_.fail(std::move(checked).error());
    for (const Json& bound : bounds) {
      if (const auto* value = bound.scalar())
        to_.bounds.push_back(*value);
      else
        members_.fail(members_.path("bounds"), "has " + std::string(bound.kind()) + ", not a value");
    }
  }
  void read_dates() {
    const Json& interval = members_.member("interval");
    if (const auto* ms = interval.as<std::int64_t>()) {
      to_.interval_ms = *ms;
      if (*ms <= 0) members_.fail(members_.path("interval"), "is no number of milliseconds above 0");
    } else {
      const std::string unit = members_.text("interval");
      const auto* const found = std::ranges::find(kDateUnitNames, unit);
      if (found == std::end(kDateUnitNames))
        members_.fail(members_.path("interval"), "is " + schema::quote(unit) +
                                                     ", not one of minute, hour, day, week, month, "
                                                     "quarter and year");
      else
        to_.unit = static_cast<DateUnit>(found - std::begin(kDateUnitNames));
    }
    if (const Json* const offset = members_.find("offset")) {
      const auto* const ms = offset->as<std::int64_t>();
      if (ms == nullptr || *ms < -kMaxDateOffsetMs || *ms > kMaxDateOffsetMs)
        members_.fail(members_.path("offset"), "is no whole number of milliseconds, or more than 366 days");
      else
        to_.offset_ms = *ms;
    }
    const Json* const zone = members_.find("zone");
    if (zone != nullptr && zone->array() != nullptr)
      read_rules(*zone->array());
    else if (zone != nullptr && (to_.zone = members_.text("zone")).empty())
      members_.fail(members_.path("zone"), "is no name of a time zone");
  }
  // As a bound facet has them.
  void read_rules(const Json::Array& rules) {
    for (const Json& one : rules) {
      const auto* const pair = one.array();
      const bool is_pair = pair != nullptr && pair->size() == 2;
      const auto* const at = is_pair ? pair->front().as<std::int64_t>() : nullptr;
      const auto* const offset = is_pair ? pair->back().as<std::int64_t>() : nullptr;
      if (at == nullptr || offset == nullptr || to_.rules.size() == kMaxZoneChanges)
        return members_.fail(members_.path("zone"), "has something else than pairs of milliseconds, or too many");
      to_.rules.push_back({*at, *offset});
    }
    if (!are_rules(to_.rules)) members_.fail(members_.path("zone"), "has pairs that are no rules of a zone");
  }
  // Its words must all match unless it says otherwise, as those of a filter.
  void read_clause_of(std::string_view name, const Json& json, const std::string& path) {
    auto clause = read_clause(json, path, Mode::kAnd);
    if (clause)
      to_.queries.push_back({std::string(name), *std::move(clause)});
    else
      members_.fail(std::move(clause).error());
  }
  void read_clauses() {
    const Json& queries = members_.member("queries");
    const auto* const object = queries.object();
    if (object == nullptr)
      return members_.fail(members_.path("queries"),
                           "is " + std::string(queries.kind()) + ", not an object of clauses by name");
    for (const Json::Member& one : *object)
      read_clause_of(one.name, one.value, schema::member_path(members_.path("queries"), one.name));
  }
  void read_percents() {
    for (const Json& one : members_.array("percents", true)) to_.percents.push_back(number_of(one).value_or(0));
  }

  ClauseMembers members_;
  Facet& to_;
};

// `number`: of those before, also of other levels.
Result<std::vector<Facet>> read_all(const Json& json, const std::string& path, std::size_t depth, std::size_t& number);

Result<Facet> read_facet(const Json::Member& member, const std::string& path, std::size_t depth, std::size_t& number) {
  const auto* const object = member.value.object();
  if (object == nullptr || object->empty() || object->size() > 2)
    return unreadable(path, "is no object with one kind, such as {\"values\":{\"field\":\"tag\"}}, and perhaps facets");
  const bool first = object->front().name != "facets";
  const auto& [kind_text, json] = first ? object->front() : object->back();
  const auto* const kind = std::ranges::find(kFacetKindNames, kind_text);
  if (kind == std::end(kFacetKindNames))
    return unreadable(
        path, "has an unknown kind " + schema::quote(kind_text) + schema::nearest_hint(kind_text, kFacetKindNames));
  Facet facet;
  facet.name = member.name;
  facet.kind = static_cast<Kind>(kind - std::begin(kFacetKindNames));
  FROND_TRY(FacetReader(json, schema::member_path(path, kind_text), facet).read());
  if (object->size() == 1) return facet;
  const auto& [name, inside] = first ? object->back() : object->front();
  if (name != "facets") return unreadable(path, "has beside its kind " + schema::quote(name) + ", not facets");
  facet.inside = FROND_TRY(read_all(inside, schema::member_path(path, name), depth + 1, number));
  return facet;
}

Result<std::vector<Facet>> read_all(const Json& json, const std::string& path, std::size_t depth, std::size_t& number) {
  const auto* const object = json.object();
  if (object == nullptr)
    return unreadable(path, "is " + std::string(json.kind()) + ", not an object of facets by name");
  if (depth > kMaxFacetDepth)
    return unreadable(path, "is inside more than " + std::to_string(kMaxFacetDepth) + " facets");
  number += object->size();
  FROND_TRY(check_number(number, path));
  std::vector<Facet> facets;
  for (const Json::Member& member : *object)
    facets.push_back(FROND_TRY(read_facet(member, schema::member_path(path, member.name), depth, number)));
  return facets;
}

std::string order_text(const BucketOrder& order) {
  const std::string key = order.by == BucketOrder::By::kCount   ? "_count"
                          : order.by == BucketOrder::By::kValue ? "_value"
                                                                : order.facet + "." + order.member;
  return key + (order.descending ? ":desc" : ":asc");
}

// "[a,b]".
template <class Items, class Text>
std::string array_json(const Items& items, const Text& text) {
  std::string json = "[";
  for (const auto& item : items) json += (&item == &items.front() ? "" : ",") + text(item);
  return json + ']';
}

void append_dates(std::string& json, const Facet& facet) {
  json += ",\"interval\":" + (facet.interval_ms > 0
                                  ? std::to_string(facet.interval_ms)
                                  : schema::json_string(kDateUnitNames[static_cast<std::size_t>(facet.unit)]));
  if (!facet.rules.empty())
    json += ",\"zone\":" + array_json(facet.rules, [](const ZoneChange& one) {
              return "[" + std::to_string(one.at_ms) + "," + std::to_string(one.offset_ms) + "]";
            });
  else if (!facet.zone.empty())
    json += ",\"zone\":" + schema::json_string(facet.zone);
  if (facet.offset_ms != 0) json += ",\"offset\":" + std::to_string(facet.offset_ms);
}

// What is behind its field.
void append_members(std::string& json, const Facet& facet) {
  switch (facet.kind) {
    case Kind::kValues:
      json += ",\"size\":" + std::to_string(facet.size);
      if (facet.order != BucketOrder()) json += ",\"order\":" + schema::json_string(order_text(facet.order));
      break;
    case Kind::kRanges:
      json += ",\"bounds\":" + array_json(facet.bounds, schema::json_scalar);
      break;
    case Kind::kHistogram:
      json += ",\"interval\":" + schema::text_of(facet.interval);
      break;
    case Kind::kDates:
      append_dates(json, facet);
      break;
    case Kind::kFilter:
      json += "\"query\":" + clause_json(facet.queries.front().clause);
      break;
    case Kind::kFilters:
      json += "\"queries\":{";
      for (const NamedClause& one : facet.queries)
        json +=
            (&one == &facet.queries.front() ? "" : ",") + schema::json_string(one.name) + ":" + clause_json(one.clause);
      json += '}';
      break;
    case Kind::kPercentiles:
      json += ",\"percents\":" + array_json(facet.percents, [](double one) { return schema::text_of(one); });
      break;
    case Kind::kStats:
    case Kind::kDistinct:
    case Kind::kMissing:
    case Kind::kCount:
      break;
  }
  if (facet.min_count != 1) json += ",\"min_count\":" + std::to_string(facet.min_count);
}

}  // namespace

Result<std::vector<Facet>> read_facets(const Json& json, std::string_view path) {
  std::size_t number = 0;
  auto facets = FROND_TRY(read_all(json, std::string(path), 1, number));
  FROND_TRY(check_facets(facets, std::string(path)));
  return facets;
}

std::string facets_json(const std::vector<Facet>& facets) {
  std::string json;
  for (const Facet& facet : facets) {
    json += (json.empty() ? "{" : ",") + schema::json_string(facet.name) + ":{\"" + std::string(name_of(facet.kind)) +
            "\":{";
    if (!is_of_clauses(facet.kind)) json += "\"field\":" + schema::json_string(facet.field);
    append_members(json, facet);
    json += '}';
    if (!facet.inside.empty()) json += ",\"facets\":" + facets_json(facet.inside);
    json += '}';
  }
  return json.empty() ? "{}" : json + '}';
}

}  // namespace frond::query
