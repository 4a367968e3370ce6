#include "common/repository/json_members.h"

#include <cmath>
#include <utility>

#include "common/repository/manifest.h"

namespace frond::repository {

using nlohmann::json;

std::string listed(std::span<const std::string_view> names) {
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

Members::Members(const json& object, std::string path, std::string& error)
    : object_(object), path_(std::move(path)), error_(error) {
  if (!object_.is_object()) fail("", "is not an object");
}

std::uint64_t Members::number(const char* name) {
  const auto value = get(name, &json::is_number_unsigned, "a whole number").get<std::uint64_t>();
  if (value > kMaxNumber) fail(name, "is above 2^62");
  return value;
}

double Members::real(const char* name) {
  const double value = get(name, &json::is_number, "a number").get<double>();
  if (!std::isfinite(value)) fail(name, "is not finite");
  return value;
}

std::string Members::text(const char* name) { return get(name, &json::is_string, "a string").get<std::string>(); }
bool Members::flag(const char* name) { return get(name, &json::is_boolean, "true or false").get<bool>(); }

Members Members::object(const char* name) {
  return {get(name, &json::is_object, "an object"), path_ + name + ".", error_};
}

const json& Members::array(const char* name) { return get(name, &json::is_array, "an array"); }

std::string Members::safe_name(const char* name) {
  auto value = text(name);
  if (!is_safe_name(value)) fail(name, "is not a safe file name");
  return value;
}

const json* Members::find(const char* name) const {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

void Members::fail(std::string_view name, std::string_view what) {
  if (error_.empty()) error_ = path_ + std::string(name) + " " + std::string(what);
}

const json& Members::get(const char* name, bool (json::*is)() const noexcept, std::string_view type) {
  static const json kNumber = 0u, kString = "", kFlag = false, kObject = json::object(), kArray = json::array();
  if (const json* const found = find(name); found != nullptr && (found->*is)()) return *found;
  fail(name, "is missing or not " + std::string(type));
  for (const json* fallback : {&kNumber, &kString, &kFlag, &kObject})
    if ((fallback->*is)()) return *fallback;
  return kArray;
}

}  // namespace frond::repository
