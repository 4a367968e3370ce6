#include "tools/papers/figures/figures.h"

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace frond::tools::papers {
namespace embedded {
std::string_view figures_json();  // compiled in by cmake/EmbedFiles.cmake
}
namespace {

using nlohmann::json;

const json& all_figures() {
  static const json kAll = json::parse(embedded::figures_json());
  return kAll;
}

Cell cell_of(const json& value, double factor) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? Cell(value.get<double>() * factor) : Cell();
}

}  // namespace

Cell theirs(std::initializer_list<std::string_view> path, double factor) {
  const json* at = &all_figures();
  for (const std::string_view member : path) {
    const auto found = at->find(std::string(member));
    if (found == at->end()) return {};
    at = &*found;
  }
  return cell_of(*at, factor);
}

std::vector<std::vector<Cell>> their_rows(std::string_view table) {
  std::vector<std::vector<Cell>> rows;
  const auto found = all_figures().find(std::string(table));
  if (found == all_figures().end()) return rows;
  for (const json& row : *found) {
    rows.emplace_back();
    for (const json& value : row) rows.back().push_back(cell_of(value, 1));
  }
  return rows;
}

}  // namespace frond::tools::papers
