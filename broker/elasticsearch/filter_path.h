#pragma once
// The parameters filter_path and pretty: which members of an answer are sent, and on how many lines.
#include <string>
#include <string_view>

#include "broker/elasticsearch/error.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxPathNames = 100;

// 400: more names than that.
Expected<void> check_paths(std::string_view paths);
// Of an answer's JSON what the paths name: "took,hits.hits._id,-_shards", where '*' stands for any characters of a
// name, "**" for any number of names, and a '-' first excludes; empty: everything. Lists are passed through; what is
// left empty is left out. Members stay in their order, numbers have the same digits. `pretty`: on several lines.
// REQUIRES: check_paths().
std::string formed(const std::string& answer, std::string_view paths, bool pretty);

}  // namespace frond::broker::elasticsearch
