#pragma once
// _analyze: the tokens of a text. Pure functions.
#include "broker/elasticsearch/error.h"
#include "common/elasticsearch/mapping.h"

namespace frond::broker::elasticsearch {

// {"tokens":[{"token","start_offset","end_offset","type","position"}]}. `mapping`: of the index; null: none was named.
Expected<Json> analyzed(const Json& body, const Mapping* mapping);

}  // namespace frond::broker::elasticsearch
