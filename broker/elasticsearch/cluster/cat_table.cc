#include "broker/elasticsearch/cluster/cat_table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/text.h"

namespace frond::broker::elasticsearch {
namespace {

std::optional<std::size_t> column_named(const CatTable& table, std::string_view name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].name == name || is_listed(table.columns[i].short_name, name)) return i;
  return std::nullopt;
}

// Numbers by their values, other texts by their bytes.
bool before(const std::string& a, const std::string& b) {
  const auto x = number_in<double>(a), y = number_in<double>(b);
  return x && y ? *x < *y : a < b;
}

// A single media type: clients that take several get the table.
bool is_one_of_objects(std::string_view accepted) {
  const auto begins = [&](std::string_view type) { return accepted.starts_with(type); };
  return accepted.find(',') == accepted.npos &&
         (begins("application/json") || begins("application/yaml") || begins("application/vnd."));
}

}  // namespace

frond::http::Response cat_response(CatTable table, const Call& call) {
  const std::string order(call.parameter("s").value_or(""));
  auto keys = split_list(order);
  std::ranges::reverse(keys);
  for (const std::string_view key : keys) {
    const std::string_view name = key.substr(0, key.find(':'));
    const auto column = column_named(table, name);
    if (!column)
      return response_of(ApiError{.type = "unsupported_operation_exception",
                                  .reason = "Unable to sort by unknown sort key `" + std::string(name) + "`"});
    const bool down = key.ends_with(":desc");
    std::ranges::stable_sort(table.rows, [&](const auto& a, const auto& b) {
      return down ? before(b[*column], a[*column]) : before(a[*column], b[*column]);
    });
  }
  std::vector<std::size_t> shown;
  std::vector<std::string> names;
  const std::string wanted(call.parameter("h").value_or(""));
  for (const std::string_view name : split_list(wanted))
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (matches_pattern(name, table.columns[i].name) || is_listed(table.columns[i].short_name, name)) {
        shown.push_back(i);
        names.emplace_back(name.find('*') == name.npos ? name : table.columns[i].name);
      }
  for (std::size_t i = 0; wanted.empty() && i < table.columns.size(); ++i)
    if (table.columns[i].shown) {
      shown.push_back(i);
      names.emplace_back(table.columns[i].name);
    }
  const std::string_view format = call.parameter("format").value_or("");
  const std::string_view accepted = call.request.header("accept");
  const bool as_object = format.empty() ? is_one_of_objects(accepted) : format == "json" || format == "yaml";
  if (as_object) {
    Json rows = Json::array();
    for (const auto& row : table.rows) {
      Json one = Json::object();
      for (std::size_t i = 0; i < shown.size(); ++i) one[names[i]] = row[shown[i]];
      rows.push_back(std::move(one));
    }
    return json_response(rows);
  }
  std::vector<std::vector<std::string>> lines;
  if (const auto heads = call.flag("v", false); heads && *heads) lines.push_back(names);
  for (const auto& row : table.rows) {
    auto& line = lines.emplace_back();
    for (const std::size_t i : shown) line.push_back(row[i]);
  }
  std::vector<std::size_t> widths(shown.size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string room(widths[i] - line[i].size(), ' ');
      const bool right = table.columns[shown[i]].right;
      text += (i == 0 ? "" : " ") + (right ? room + line[i] : line[i] + (i + 1 < line.size() ? room : ""));
    }
    text += '\n';
  }
  return {.content_type = "text/plain; charset=UTF-8", .body = std::move(text)};
}

}  // namespace frond::broker::elasticsearch
