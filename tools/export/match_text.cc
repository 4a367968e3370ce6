#include "tools/export/match_text.h"

#include <simdjson.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/schema/json.h"

namespace frond::tools {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kLineEnd = "\r\n";  // RFC 4180

struct Cell {
  std::string_view text;  // of a string its characters in CSV; else JSON
  bool there = false, string = false;
};

Error no_answer(std::string_view what) { return {Code::kCorrupt, "answer: " + std::string(what)}; }

void append_csv(const Cell& cell, bool escape_formulas, std::string& to) {
  if (!cell.there || (!cell.string && cell.text == "null")) return;
  constexpr std::string_view kFormulas = "=+-@\t\r";
  const bool formula = escape_formulas && cell.string && !cell.text.empty() &&
                       kFormulas.find(cell.text.front()) != std::string_view::npos;
  const bool quoted = cell.text.empty() || cell.text.find_first_of("\",\r\n") != std::string_view::npos ||
                      cell.text.front() == ' ' || cell.text.back() == ' ';
  if (quoted) to += '"';
  if (formula) to += '\'';
  for (const char c : cell.text) {
    if (c == '"') to += '"';
    to += c;
  }
  if (quoted) to += '"';
}

void append_json(const Cell& cell, std::string_view name, bool first, std::string& to) {
  if (!first) to += ',';
  to += schema::json_string(name);
  to += ':';
  // Line ends are between tokens only: inside strings they are escaped.
  std::ranges::transform(cell.text, std::back_inserter(to), [](char c) { return c == '\n' || c == '\r' ? ' ' : c; });
}

void append_row(const std::vector<Cell>& cells, bool escape_formulas, std::string& to) {
  const auto begin = to.size();
  for (const Cell& cell : cells) {
    if (&cell != &cells.front()) to += ',';
    append_csv(cell, escape_formulas, to);
  }
  if (to.size() == begin) to += "\"\"";  // an empty line would be no row
  to += kLineEnd;
}

void append_object(const std::vector<Cell>& cells, const std::vector<std::string>& fields, std::string& to) {
  to += '{';
  bool first = true;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (cells[i].there) append_json(cells[i], fields[i], std::exchange(first, false), to);
  to += "}\n";
}

// The members of one hit that are wanted, in the order of `fields`.
Result<void> read_hit(ondemand::value hit, MatchFormat format, const std::vector<std::string>& fields,
                      std::vector<Cell>& cells) {
  cells.assign(fields.size(), {});
  ondemand::object members;
  if (hit.get_object().get(members) != simdjson::SUCCESS) return no_answer("a hit that is no object");
  for (auto member : members) {
    std::string_view name;
    ondemand::value value;
    if (member.unescaped_key().get(name) != simdjson::SUCCESS || member.value().get(value) != simdjson::SUCCESS)
      return no_answer("not JSON");
    const auto field = std::ranges::find(fields, name);
    if (field == fields.end()) continue;
    Cell& cell = cells[static_cast<std::size_t>(field - fields.begin())];
    ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) return no_answer("not JSON");
    cell.there = true;
    cell.string = type == ondemand::json_type::string;
    const auto failed = cell.string && format == MatchFormat::kCsv ? value.get_string().get(cell.text)
                                                                   : simdjson::to_json_string(value).get(cell.text);
    if (failed != simdjson::SUCCESS) return no_answer("a value of '" + *field + "' that is no JSON");
  }
  return {};
}

}  // namespace

std::string MatchText::head() const {
  std::string line;
  if (format_ == MatchFormat::kJsonLines) return line;
  for (const auto& field : fields_) {
    if (!line.empty()) line += ',';
    append_csv({field, true, true}, false, line);
  }
  return line.append(kLineEnd);
}

Result<MatchPage> MatchText::append(std::string_view answer, std::string& to) const {
  const simdjson::padded_string padded(answer);
  ondemand::parser parser;
  ondemand::document document;
  ondemand::object members;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS ||
      document.get_object().get(members) != simdjson::SUCCESS)
    return no_answer("not a JSON object");
  MatchPage page;
  bool has_hits = false;
  std::vector<Cell> cells;
  for (auto member : members) {
    std::string_view name;
    if (member.unescaped_key().get(name) != simdjson::SUCCESS) return no_answer("not JSON");
    if (name == "cursor") {
      std::string_view cursor;
      if (member.value().get_string().get(cursor) != simdjson::SUCCESS) return no_answer("a cursor that is no string");
      page.cursor = cursor;
    } else if (name == "total") {
      if (member.value().find_field_unordered("value").get_uint64().get(page.total) != simdjson::SUCCESS)
        return no_answer("a total without a value");
    } else if (name == "hits") {
      ondemand::array hits;
      if (member.value().get_array().get(hits) != simdjson::SUCCESS) return no_answer("hits that are no list");
      has_hits = true;
      for (auto one : hits) {
        ondemand::value hit;
        if (one.get(hit) != simdjson::SUCCESS) return no_answer("not JSON");
        FROND_TRY(read_hit(hit, format_, fields_, cells));
        ++page.hits;
        if (format_ == MatchFormat::kCsv)
          append_row(cells, escape_formulas_, to);
        else
          append_object(cells, fields_, to);
      }
    }
  }
  if (!has_hits) return no_answer("no \"hits\"");
  return page;
}

}  // namespace frond::tools
