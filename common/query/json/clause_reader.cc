#include "common/query/json/clause_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/schema/nearest_names.h"

namespace frond::query {

using schema::Json;

ClauseMembers::ClauseMembers(const Json& json, std::string path, std::initializer_list<std::string_view> names)
    : object_(json.object()), path_(std::move(path)) {
  if (object_ == nullptr) {
    fail(path_, "is " + std::string(json.kind()) + ", not an object");
    return;
  }
  const auto unknown = std::ranges::find_if(
      *object_, [&](const Json::Member& member) { return std::ranges::find(names, member.name) == names.end(); });
  if (unknown != object_->end())
    fail(this->path(unknown->name),
         "is not a member here" + schema::nearest_hint(unknown->name, {names.begin(), names.size()}));
}

const Json* ClauseMembers::find(std::string_view name) const {
  if (object_ == nullptr) return nullptr;
  for (const auto& member : *object_)
    if (member.name == name) return &member.value;
  return nullptr;
}

void ClauseMembers::fail(const std::string& path, const std::string& what) {
  if (!error_) error_ = Error(Code::kInvalid, path + " " + what);
}
void ClauseMembers::fail(Error error) {
  if (!error_) error_ = std::move(error);
}

const Json& ClauseMembers::member(std::string_view name) {
  static const Json kNull;
  const Json* const found = find(name);
  if (found == nullptr) fail(path(name), "is missing");
  return found == nullptr ? kNull : *found;
}

std::string ClauseMembers::text(std::string_view name) {
  const Json& json = member(name);
  const auto* const value = json.as<std::string>();
  if (value == nullptr) fail(path(name), "is " + std::string(json.kind()) + ", not a string");
  return value == nullptr ? "" : *value;
}
std::string ClauseMembers::optional_text(std::string_view name) { return find(name) == nullptr ? "" : text(name); }

bool ClauseMembers::flag(std::string_view name) {
  const Json* const json = find(name);
  if (json == nullptr) return false;
  const auto* const value = json->as<bool>();
  if (value == nullptr) fail(path(name), "is " + std::string(json->kind()) + ", not true or false");
  return value != nullptr && *value;
}

std::uint32_t ClauseMembers::whole(std::string_view name) {
  const Json* const json = find(name);
  if (json == nullptr) return 0;
  const auto* const value = json->as<std::int64_t>();
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (value != nullptr && *value >= 0 && *value <= kMost) return static_cast<std::uint32_t>(*value);
  fail(path(name), "is not a whole number from 0 to " + std::to_string(kMost));
  return 0;
}

std::optional<schema::Value> ClauseMembers::scalar(std::string_view name) {
  const Json* const json = find(name);
  if (json == nullptr) return {};
  if (const auto* value = json->scalar()) return *value;
  fail(path(name), "is " + std::string(json->kind()) + ", not a value");
  return {};
}

Factor ClauseMembers::factor(std::string_view name, double max, Factor absent) {
  const Json* const json = find(name);
  if (json == nullptr) return absent;
  std::optional<Factor> factor;
  if (const auto* whole = json->as<std::int64_t>()) factor = factor_of(static_cast<double>(*whole), max);
  if (const auto* real = json->as<double>()) factor = factor_of(*real, max);
  if (!factor) fail(path(name), "is not a number from 0 to " + std::to_string(static_cast<std::uint32_t>(max)));
  return factor.value_or(absent);
}

const Json::Array& ClauseMembers::array(std::string_view name, bool required) {
  static const Json::Array kNone;
  const Json* const json = required ? &member(name) : find(name);
  if (json == nullptr) return kNone;
  if (const auto* array = json->array()) return *array;
  fail(path(name), "is " + std::string(json->kind()) + ", not an array");
  return kNone;
}

}  // namespace frond::query
