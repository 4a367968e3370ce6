#pragma once
// An answer as YAML, as Elasticsearch writes it. Pure functions.
#include <string>
#include <string_view>

namespace frond::broker::elasticsearch {

// "---", then a member or an item a line. What is no JSON stays as it is.
std::string yaml_of(std::string_view json);

}  // namespace frond::broker::elasticsearch
