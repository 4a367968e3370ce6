#include "broker/elasticsearch/queries/named_queries.h"

#include "broker/elasticsearch/queries/query_dsl.h"

namespace frond::broker::elasticsearch {
namespace {

// In the body of a query, or in that of its field.
std::string taken_from(Json& body) {
  if (!body.is_object()) return {};
  std::string name;
  if (const auto own = body.find("_name"); own != body.end() && own->is_string()) {
    name = *own;
    body.erase(own);
    return name;
  }
  if (body.size() != 1) return {};
  Json& inner = body.begin().value();
  if (!inner.is_object() || is_query(body.begin().key())) return {};
  if (const auto own = inner.find("_name"); own != inner.end() && own->is_string()) {
    name = *own;
    inner.erase(own);
  }
  return name;
}

void take(Json& json, std::size_t depth, std::vector<std::pair<std::string, Json>>& to) {
  if (to.size() > kMaxNamedQueries) return;                             // it is refused
  if (!json.is_structured() || depth > 2 * kMaxQueryDepth + 2) return;  // deeper ones are refused as queries
  if (json.is_array()) {
    for (Json& one : json) take(one, depth + 1, to);
    return;
  }
  for (auto& [key, value] : json.items()) {
    take(value, depth + 1, to);
    if (!is_query(key)) continue;
    std::string name = taken_from(value);
    if (name.empty()) continue;
    std::erase_if(to, [&](const auto& other) { return other.first == name; });  // the last of a name counts
    to.emplace_back(std::move(name), Json{{key, value}});
  }
}

}  // namespace

Expected<std::vector<std::pair<std::string, Json>>> take_names(Json& query) {
  std::vector<std::pair<std::string, Json>> all;
  take(query, 1, all);
  if (all.size() > kMaxNamedQueries)
    return illegal_argument("more than " + std::to_string(kMaxNamedQueries) + " queries have a name");
  return all;
}

}  // namespace frond::broker::elasticsearch
