#pragma once
// The parameter filter_path: which members of an answer are sent.
#include <string_view>

#include "broker/elasticsearch/error.h"

namespace frond::broker::elasticsearch {

// Of `answer` what the paths name: "took,hits.hits._id,-_shards", where '*' stands for any characters of a name, "**"
// for any number of names, and a '-' first excludes. Lists are passed through; what is left empty is left out.
Json filtered(const Json& answer, std::string_view paths);

}  // namespace frond::broker::elasticsearch
