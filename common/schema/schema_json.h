#pragma once
// A schema as users write it (--schema FILE, PUT /v1/collections/{c}) and as the manifest keeps it:
//   {"fields":{"title":{"type":"text","weight":3,"positions":true},"year":{"type":"integer"}},
//    "source":"stored","scorer":"bm25"}
// The order of the fields is kept, so whoever stores the text must not sort its members. Pure functions.
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/schema/json.h"
#include "common/schema/schema.h"

namespace frond::schema {

inline constexpr std::size_t kMaxSchemaBytes = 1u << 20;

// A member that is absent has the value of struct Field, but `source` is "stored". kInvalid: not JSON, an unknown
// member or type (with the nearest right ones), a value of a wrong type, or what check() refuses. The message has the
// path of the member: "fields.title.wieght is no member of …".
Result<Schema> parse_schema(std::string_view text);
// The same of a tree, for a schema inside other JSON.
Result<Schema> read_schema(const Json& json);

// Compact; members that have their usual value are left out, but not `type`, `source` and `scorer`. Equal schemas have
// equal texts, and parse_schema() gives an equal schema back.
std::string schema_text(const Schema& schema);

}  // namespace frond::schema
