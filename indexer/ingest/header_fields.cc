#include "indexer/ingest/header_fields.h"

#include <algorithm>

#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, small_letter, small_letter);
}

std::size_t head_end(std::string_view text) {
  std::size_t line = 0;
  for (std::size_t end; (end = text.find('\n', line)) != text.npos; line = end + 1)
    if (end == line || (end == line + 1 && text[line] == '\r')) return end + 1;
  return text.npos;
}

HeaderFields HeaderFields::parse(std::string_view lines) {
  HeaderFields head;
  while (!lines.empty() && head.fields_.size() < kMaxFields) {
    const std::string_view line = take_line(lines);
    const std::size_t colon = line.find(':');
    if (colon == line.npos || line.starts_with(' ') || line.starts_with('\t')) continue;
    head.fields_.push_back({trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1))});
  }
  return head;
}

const HeaderFields::Field* HeaderFields::find(std::string_view name) const {
  const auto found = std::ranges::find_if(fields_, [&](const Field& field) { return same_name(field.name, name); });
  return found == fields_.end() ? nullptr : &*found;
}
std::string_view HeaderFields::value(std::string_view name) const {
  const Field* const field = find(name);
  return field ? field->value : std::string_view();
}
bool HeaderFields::has(std::string_view name) const { return find(name) != nullptr; }

}  // namespace frond::indexer::ingest
