#include "common/elasticsearch/plain_json.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/elasticsearch/json_body.h"

namespace frond::elasticsearch {
namespace {

namespace dom = simdjson::dom;

bool has_repeated_name(const dom::object& object) {
  constexpr std::size_t kFew = 16;  // names are compared with each other, without a list of them in memory
  std::string_view few[kFew];
  std::size_t count = 0;
  for (const auto member : object) {
    if (count == kFew) break;
    for (std::size_t i = 0; i < count; ++i)
      if (few[i] == member.key) return true;
    few[count++] = member.key;
  }
  if (count < kFew) return false;
  std::vector<std::string_view> all;
  for (const auto member : object) all.push_back(member.key);
  std::ranges::sort(all);
  return std::ranges::adjacent_find(all) != all.end();
}

bool is_plain(const dom::element& element, std::size_t depth) {
  if (element.is_array()) {
    if (depth == kMaxNesting) return false;
    for (const dom::element one : dom::array(element))
      if (!is_plain(one, depth + 1)) return false;
  } else if (element.is_object()) {
    if (depth == kMaxNesting || has_repeated_name(dom::object(element))) return false;
    for (const auto member : dom::object(element))
      if (!is_plain(member.value, depth + 1)) return false;
  }
  return true;
}

}  // namespace

std::optional<dom::element> plain_json(std::string_view text) {
  thread_local dom::parser parser(kMaxPlainBytes);
  dom::element root;
  if (text.size() > kMaxPlainBytes || parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS ||
      !is_plain(root, 0))
    return std::nullopt;
  return root;
}

Json tree_of(const dom::element& element) {
  switch (element.type()) {
    case dom::element_type::OBJECT: {
      Json object = Json::object();
      for (const auto member : dom::object(element)) object.emplace(std::string(member.key), tree_of(member.value));
      return object;
    }
    case dom::element_type::ARRAY: {
      Json array = Json::array();
      for (const dom::element one : dom::array(element)) array.push_back(tree_of(one));
      return array;
    }
    case dom::element_type::STRING:
      return Json(std::string(std::string_view(element)));
    case dom::element_type::INT64: {
      const std::int64_t number(element);
      return number < 0 ? Json(number) : Json(static_cast<std::uint64_t>(number));
    }
    case dom::element_type::UINT64:
      return Json(std::uint64_t(element));
    case dom::element_type::DOUBLE:
      return Json(double(element));
    case dom::element_type::BOOL:
      return Json(bool(element));
    case dom::element_type::NULL_VALUE:
      break;
  }
  return nullptr;
}

}  // namespace frond::elasticsearch
