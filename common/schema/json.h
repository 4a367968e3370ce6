#pragma once
// JSON from outside as a tree that keeps the order of members: schemas and queries. nlohmann::json parses it, which
// keeps only the last of several members of one name; here that is an error. Pure functions.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/result.h"
#include "common/schema/value.h"

namespace frond::schema {

// std::monostate is null. Whole numbers of 64 bits are std::int64_t; other numbers are doubles.
struct Json {
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;

  std::variant<std::monostate, Value, Array, Object> tree;

  const Value* scalar() const { return std::get_if<Value>(&tree); }
  const Array* array() const { return std::get_if<Array>(&tree); }
  const Object* object() const { return std::get_if<Object>(&tree); }
  // The scalar as one type; null: it is something else.
  template <class T>
  const T* as() const {
    const Value* const value = scalar();
    return value == nullptr ? nullptr : std::get_if<T>(value);
  }
  // "null", "a string", "an array" …: for messages.
  std::string_view kind() const;
};
struct Json::Member {
  std::string name;
  Json value;
};

inline constexpr std::size_t kMaxJsonDepth = 400;  // nested arrays and objects

// kInvalid: not JSON, two members of one name, a number beyond doubles, or nested more than kMaxJsonDepth times. The
// message names the path of the member ("query.bool.must[2].term"); of a text that is no JSON it names the byte.
Result<Json> parse_json(std::string_view text);

// A string or scalar as JSON. Bytes that are not UTF-8 become U+FFFD. Doubles have a point or an exponent, so that they
// are doubles when they are read back.
std::string json_string(std::string_view text);
void append_json_string(std::string& out, std::string_view text);
std::string json_scalar(const Value& value);

// The path of a member: "fields" and "title" are "fields.title".
std::string member_path(std::string_view path, std::string_view name);

}  // namespace frond::schema
