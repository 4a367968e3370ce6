#pragma once
// Bodies with queries. Of the ends of one side of a range query – gte, gt, from, include_lower; lte, lt, to,
// include_upper – Elasticsearch has each replace what stands before it, and trees don't keep that order. Pure function.
#include <string_view>

#include "broker/elasticsearch/error.h"

namespace frond::broker::elasticsearch {

// As parse_object(), with what counts alone of each side of the range queries, wherever they are. Of texts that
// plain_json() doesn't read, all ends are left.
Expected<Json> parse_with_queries(std::string_view text);

}  // namespace frond::broker::elasticsearch
