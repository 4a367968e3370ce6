#include "broker/elasticsearch/filter_path.h"

#include <algorithm>
#include <vector>

#include "broker/elasticsearch/catalogue.h"

namespace frond::broker::elasticsearch {
namespace {

using Path = std::vector<std::string_view>;  // names that are still to be matched

std::vector<Path> split_paths(std::string_view paths, bool excluding) {
  std::vector<Path> all;
  for (std::string_view path : split_list(paths)) {
    if (path.starts_with('-') != excluding) continue;
    if (excluding) path.remove_prefix(1);
    Path names;
    while (!path.empty()) {
      names.push_back(path.substr(0, path.find('.')));
      path.remove_prefix(std::min(names.back().size() + 1, path.size()));
    }
    all.push_back(std::move(names));
  }
  return all;
}

// What of the paths concerns the member `name`; whole: one of them ends there.
std::vector<Path> below(const std::vector<Path>& paths, std::string_view name, bool& whole) {
  std::vector<Path> rest;
  for (const Path& path : paths) {
    if (path.empty()) continue;
    const bool any_depth = path[0] == "**";
    if (any_depth) {
      rest.push_back(path);
      if (path.size() == 1) whole = true;
      if (path.size() > 1 && matches_pattern(path[1], name)) {
        if (path.size() == 2) whole = true;
        rest.emplace_back(path.begin() + 2, path.end());
      }
    } else if (matches_pattern(path[0], name)) {
      if (path.size() == 1) whole = true;
      rest.emplace_back(path.begin() + 1, path.end());
    }
  }
  return rest;
}

bool is_empty(const Json& json) { return json.is_null() || (json.is_structured() && json.empty()); }

Json select(const Json& json, const std::vector<Path>& paths, bool excluding) {
  if (json.is_array()) {
    Json kept = Json::array();
    for (const Json& one : json) {
      Json part = one.is_structured() ? select(one, paths, excluding) : (excluding ? one : Json());
      if (!is_empty(part)) kept.push_back(std::move(part));
    }
    return kept;
  }
  Json kept = Json::object();
  for (const auto& [name, value] : json.items()) {
    bool whole = false;
    const auto rest = below(paths, name, whole);
    if (whole) {
      if (!excluding) kept[name] = value;
      continue;
    }
    if (!value.is_structured()) {
      if (excluding) kept[name] = value;
      continue;
    }
    if (rest.empty() && !excluding) continue;
    Json part = select(value, rest, excluding);
    if (!is_empty(part) || (excluding && rest.empty())) kept[name] = std::move(part);
  }
  return kept;
}

}  // namespace

Json filtered(const Json& answer, std::string_view paths) {
  if (!answer.is_structured()) return answer;
  const auto wanted = split_paths(paths, false), unwanted = split_paths(paths, true);
  Json kept = wanted.empty() ? answer : select(answer, wanted, false);
  return unwanted.empty() ? kept : select(kept, unwanted, true);
}

}  // namespace frond::broker::elasticsearch
