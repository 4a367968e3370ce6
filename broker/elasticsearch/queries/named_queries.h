#pragma once
// Queries with a name ("_name"): hits say which of them they match. Pure functions.
#include <string>
#include <utility>
#include <vector>

#include "broker/elasticsearch/error.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxNamedQueries = 64;

// Takes the names off a query, and gives the queries that had one. 400: there are too many.
Expected<std::vector<std::pair<std::string, Json>>> take_names(Json& query);

}  // namespace frond::broker::elasticsearch
