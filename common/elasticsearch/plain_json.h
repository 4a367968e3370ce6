#pragma once
// JSON as simdjson reads it, in a fraction of the time that a tree of nlohmann's takes. Any thread.
#include <cstddef>
#include <optional>
#include <string_view>

#include <simdjson.h>

#include "common/elasticsearch/error.h"

namespace frond::elasticsearch {

inline constexpr std::size_t kMaxPlainBytes = 1 << 20;  // what a thread keeps grows with the longest text

// Nothing: the text is longer, no JSON, nested too deeply, has a name twice in an object, or a number of more than 64
// bits. parse_json() says which, or takes it. Valid until the thread's next call.
std::optional<simdjson::dom::element> plain_json(std::string_view text);
// The same tree that parse_json() makes.
Json tree_of(const simdjson::dom::element& element);

}  // namespace frond::elasticsearch
