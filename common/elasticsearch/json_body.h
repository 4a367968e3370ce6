#pragma once
// Bodies as Elasticsearch takes them: JSON without repeated names, text behind its end, or deep nesting. Any thread.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/elasticsearch/error.h"
#include "common/schema/json.h"

namespace frond::elasticsearch {

inline constexpr std::size_t kMaxNesting = 100;  // of objects and lists in each other

// 400 json_parse_exception, or json_e_o_f_exception where the text ends too early; both say where.
Expected<Json> parse_json(std::string_view text);
// An object. An empty text gives an empty one. 400 also: it is something else.
Expected<Json> parse_object(std::string_view text);

// A member of an object; absent or null: `otherwise`. 400: it is of another type.
Expected<std::string> text_member(const Json& object, const char* name, std::string_view otherwise);
Expected<bool> flag_member(const Json& object, const char* name, bool otherwise);  // also "true" and "false"
Expected<std::int64_t> whole_member(const Json& object, const char* name, std::int64_t otherwise);

// A text, or several between commas, which JSON may have as a list. What is no text is left out.
std::string list_in(const Json& json);

// A text as it is, and other values as JSON.
std::string text_in(const Json& json);

// The tree that schema::parse_json() makes of it.
schema::Json schema_json(const Json& json);
// One line, bytes that are not UTF-8 replaced.
std::string dumped(const Json& json);

// A member of an object, where it is there and has that type; else `otherwise`.
std::string text_or(const Json& object, const char* name, std::string_view otherwise = "");
std::uint64_t number_or(const Json& object, const char* name, std::uint64_t otherwise = 0);
bool flag_or(const Json& object, const char* name, bool otherwise = false);

}  // namespace frond::elasticsearch
