#include "common/elasticsearch/json_body.h"

#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "common/elasticsearch/plain_json.h"

namespace frond::elasticsearch {
namespace {

// Looks at the events of the parser: which names an object has already, and how deep it is.
class Checker {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      too_deep_ = too_deep_ || static_cast<std::size_t>(depth) >= kMaxNesting;
      if (too_deep_) return false;
      names_.resize(static_cast<std::size_t>(depth) + 1);
      names_.back().clear();
      return true;
    }
    if (event != Event::key || too_deep_) return true;
    if (!names_[static_cast<std::size_t>(depth) - 1].insert(parsed.get<std::string>()).second && repeated_.empty())
      repeated_ = parsed.get<std::string>();
    return true;
  }
  std::string fault() const {
    if (too_deep_) return "more than " + std::to_string(kMaxNesting) + " objects and lists are inside each other";
    return repeated_.empty() ? "" : "Duplicate field '" + repeated_ + "'";
  }

 private:
  std::vector<std::set<std::string>> names_;  // by depth
  std::string repeated_;
  bool too_deep_ = false;
};

}  // namespace

Expected<Json> parse_json(std::string_view text) {
  if (const auto plain = plain_json(text)) return tree_of(*plain);
  Checker checker;
  // The parser is given a copy of what it calls.
  Json json = Json::parse(
      text.begin(), text.end(),
      [&checker](int depth, Json::parse_event_t event, Json& parsed) { return checker(depth, event, parsed); },
      /*allow_exceptions=*/false);
  if (std::string fault = checker.fault(); !fault.empty())
    return ApiError{.type = "json_parse_exception", .reason = std::move(fault)};
  if (!json.is_discarded()) return json;
  // Without exceptions the parser tells no place.
  struct Places : nlohmann::json_sax<Json> {
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception&) override {
      at = position;
      near = token.substr(0, 100);
      return false;
    }
    std::size_t at = 0;
    std::string near;
  } places;
  (void)Json::sax_parse(text.begin(), text.end(), &places);
  const bool ended = places.at > text.size();
  return ApiError{.type = ended ? "json_e_o_f_exception" : "json_parse_exception",
                  .reason = (ended ? "Unexpected end-of-input" : "Unexpected text near '" + places.near + "'") +
                            std::string(" at byte ") + std::to_string(places.at)};
}

Expected<Json> parse_object(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Json::object();
  Json json = FROND_EXPECT_OK(parse_json(text));
  if (!json.is_object())
    return parsing_exception(std::string("Expected [START_OBJECT] but found a ") + json.type_name());
  return json;
}

namespace {

// Null: absent.
const Json* member_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}
ApiError wrong_type(const char* name, const char* type, const Json& found) {
  return parsing_exception("[" + std::string(name) + "] must be " + type + ", but is [" + dumped(found).substr(0, 100) +
                           "]");
}

}  // namespace

Expected<std::string> text_member(const Json& object, const char* name, std::string_view otherwise) {
  const Json* const found = member_of(object, name);
  if (found == nullptr) return std::string(otherwise);
  if (!found->is_string()) return wrong_type(name, "a text", *found);
  return found->get<std::string>();
}
Expected<bool> flag_member(const Json& object, const char* name, bool otherwise) {
  const Json* const found = member_of(object, name);
  if (found == nullptr) return otherwise;
  if (*found == "true" || *found == "false") return *found == "true";
  if (!found->is_boolean()) return wrong_type(name, "true or false", *found);
  return found->get<bool>();
}
Expected<std::int64_t> whole_member(const Json& object, const char* name, std::int64_t otherwise) {
  const Json* const found = member_of(object, name);
  if (found == nullptr) return otherwise;
  if (found->is_string())
    if (const auto number = number_in<std::int64_t>(found->get_ref<const std::string&>())) return *number;
  if (found->is_number_float() && std::abs(found->get<double>()) < 1e15) return found->get<std::int64_t>();
  if (!found->is_number_integer() || (found->is_number_unsigned() && found->get<std::uint64_t>() > 0x7fffffffffffffff))
    return wrong_type(name, "a whole number", *found);
  return found->get<std::int64_t>();
}

std::string list_in(const Json& json) {
  std::string list;
  for (const Json& one : json.is_array() ? json : Json::array({json}))
    if (one.is_string()) list.append(list.empty() ? "" : ",").append(one.get_ref<const std::string&>());
  return list;
}

std::string text_in(const Json& json) { return json.is_string() ? json.get<std::string>() : dumped(json); }

schema::Json schema_json(const Json& json) {
  if (json.is_object()) {
    schema::Json::Object object;
    for (auto one = json.begin(); one != json.end(); ++one) object.push_back({one.key(), schema_json(*one)});
    return {std::move(object)};
  }
  if (json.is_array()) {
    schema::Json::Array array;
    for (const Json& one : json) array.push_back(schema_json(one));
    return {std::move(array)};
  }
  if (json.is_string()) return {schema::Value(json.get<std::string>())};
  if (json.is_boolean()) return {schema::Value(json.get<bool>())};
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const bool whole = json.is_number_integer() && !(json.is_number_unsigned() && json.get<std::uint64_t>() > kMost);
  if (whole) return {schema::Value(json.get<std::int64_t>())};
  if (json.is_number()) return {schema::Value(json.get<double>())};
  return {};
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string text_or(const Json& object, const char* name, std::string_view otherwise) {
  const Json* const found = member_of(object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string(otherwise);
}
std::uint64_t number_or(const Json& object, const char* name, std::uint64_t otherwise) {
  const Json* const found = member_of(object, name);
  return found != nullptr && found->is_number_unsigned() ? found->get<std::uint64_t>() : otherwise;
}
bool flag_or(const Json& object, const char* name, bool otherwise) {
  const Json* const found = member_of(object, name);
  return found != nullptr && found->is_boolean() ? found->get<bool>() : otherwise;
}

}  // namespace frond::elasticsearch
