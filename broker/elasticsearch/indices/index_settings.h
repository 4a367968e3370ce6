#pragma once
// Settings of an index: read from any of the forms that clients write, kept and shown as Elasticsearch shows them. Pure
// functions.
#include <map>
#include <string>
#include <string_view>

#include "broker/elasticsearch/error.h"

namespace frond::broker::elasticsearch {

// By whole name, "index.number_of_shards"; numbers and booleans are texts, null stays.
using FlatSettings = std::map<std::string, Json, std::less<>>;

// `prefix`: names that lack it get it.
FlatSettings flattened(const Json& settings, std::string_view prefix = "index.");
Json nested(const FlatSettings& settings);
// Of a request: 400 illegal_argument_exception for an unknown setting, or a wrong number.
Expected<FlatSettings> read_settings(const Json& settings);
// Those that may change while the index is there. 400: one may not.
Expected<void> expect_dynamic(const FlatSettings& settings, std::string_view index);

}  // namespace frond::broker::elasticsearch
