#include "broker/elasticsearch/queries/range_ends.h"

#include <array>
#include <string>
#include <utility>

#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/plain_json.h"

namespace frond::broker::elasticsearch {
namespace {

namespace dom = simdjson::dom;

struct Side {
  std::string_view closed, open, bare, inclusive;  // the last says whether `bare` is inside
};
constexpr std::array kSides = {Side{"gte", "gt", "from", "include_lower"}, Side{"lte", "lt", "to", "include_upper"}};

void settle(const Side& side, const dom::object& ordered, Json& bounds) {
  std::string_view end;  // which of the names the side has
  Json value, inclusive;
  int found = 0;
  for (const auto member : ordered) {
    const bool whole = member.key == side.closed || member.key == side.open, says = member.key == side.inclusive;
    if (!whole && !says && member.key != side.bare) continue;
    ++found;
    const Json& one = bounds[std::string(member.key)];
    const bool in = one == true || one == "true", is_flag = in || one == false || one == "false";
    if (says && is_flag && !end.empty() && end != side.bare) {
      end = in ? side.closed : side.open;
    } else if (says) {
      inclusive = one;
    } else {
      if (whole || end.empty()) end = member.key;
      if (whole) inclusive = nullptr;
      value = one;
    }
  }
  if (found < 2) return;
  for (const std::string_view name : {side.closed, side.open, side.bare, side.inclusive})
    bounds.erase(std::string(name));
  if (!end.empty()) bounds[std::string(end)] = std::move(value);
  if (!inclusive.is_null()) bounds[std::string(side.inclusive)] = std::move(inclusive);
}

// `json`: the tree of `ordered`.
void settle_all(const dom::element& ordered, Json& json) {
  if (ordered.is_array()) {
    auto one = json.begin();
    for (const dom::element element : dom::array(ordered)) settle_all(element, *one++);
  }
  if (!ordered.is_object()) return;
  for (const auto member : dom::object(ordered)) {
    Json& inside = json[std::string(member.key)];
    settle_all(member.value, inside);
    if (member.key != "range" || !member.value.is_object()) continue;
    for (const auto field : dom::object(member.value))
      if (field.value.is_object())
        for (const Side& side : kSides) settle(side, dom::object(field.value), inside[std::string(field.key)]);
  }
}

}  // namespace

Expected<Json> parse_with_queries(std::string_view text) {
  Json json = FROND_EXPECT_OK(parse_object(text));
  if (text.find("\"range\"") == text.npos) return json;
  if (const auto ordered = plain_json(text)) settle_all(*ordered, json);
  return json;
}

}  // namespace frond::broker::elasticsearch
