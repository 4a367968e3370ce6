#include "tools/bench/table.h"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

namespace frond::tools::bench {
namespace {

using nlohmann::ordered_json;

// '|' ends a cell of Markdown, '<' begins a tag.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string shown(const Cell& cell, const Column& column) {
  if (const auto* number = cell.number()) return grouped(*number, column.digits);
  return cell.text() ? escaped(*cell.text()) : "";
}

// Characters, not bytes, of UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool to_the_left) {
  const std::string room(width - width_of(text), ' ');
  return to_the_left ? text + room : room + text;
}

}  // namespace

std::string grouped(double number, int digits) {
  std::string text = fmt::format("{:.{}f}", number, digits);
  const std::size_t begin = text.starts_with('-') ? 1 : 0, end = std::min(text.find('.'), text.size());
  for (std::size_t at = end; at > begin + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string text_of(const Table& table) {
  std::vector<std::string> lines(table.rows.size() + 2);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    const bool words =
        std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row[c].text() != nullptr; });
    const std::string title = escaped(column.title);
    std::size_t width = std::max<std::size_t>(3, width_of(title));
    for (const auto& row : table.rows) width = std::max(width, width_of(shown(row[c], column)));
    lines[0] += "| " + padded(title, width, words) + ' ';
    lines[1] += "| " + std::string(width - 1, '-') + (words ? "- " : ": ");
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      lines[r + 2] += "| " + padded(shown(table.rows[r][c], column), width, words) + ' ';
  }
  std::string out;
  for (const std::string& line : lines) out += line + "|\n";
  return out;
}

ordered_json as_json(const Table& table) {
  auto columns = ordered_json::array(), rows = ordered_json::array();
  for (const Column& column : table.columns) columns.push_back({{"title", column.title}, {"paper", column.paper}});
  for (const auto& row : table.rows) {
    auto cells = ordered_json::array();
    for (const Cell& cell : row)
      cells.push_back(cell.number() ? ordered_json(*cell.number())
                      : cell.text() ? ordered_json(*cell.text())
                                    : ordered_json());
    rows.push_back(std::move(cells));
  }
  return {{"title", table.title}, {"columns", columns}, {"rows", rows}};
}

}  // namespace frond::tools::bench
