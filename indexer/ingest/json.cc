#include "indexer/ingest/json.h"

#include <algorithm>

#include "indexer/ingest/document_fields.h"
#include "indexer/ingest/field_names.h"
#include "indexer/ingest/file_kind.h"
#include "indexer/ingest/json_cutter.h"
#include "indexer/ingest/json_document.h"
#include "indexer/ingest/line_cutter.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/text_kind.h"

namespace frond::indexer::ingest {
namespace {

// The first object of a JSON array, or of objects over several lines: as far as the beginning has it.
std::string_view first_object(std::string_view text) {
  text.remove_prefix(std::min(text.find('{'), text.size()));
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return text.substr(0, at + 1);
    }
  }
  return {};
}

bool opens_object(std::string_view text) {
  if (!text.starts_with('{')) return false;
  const std::string_view rest = without_spaces(text.substr(1));
  return rest.starts_with('"') || rest.starts_with('}');
}

const FieldNames& names_of(const Head& head) { return names_or_usual(head.file.names); }

// Whether the name says that an object is a line.
bool is_named_lines(const Head& head) {
  return has_suffix(head.file.path, ".jsonl") || has_suffix(head.file.path, ".ndjson");
}

enum class Layout { kOther, kLines, kValues };  // of a file: no JSON, an object a line, objects over several lines

Layout layout_of(const Head& head) {
  if (head.text.starts_with('[') && opens_object(without_spaces(head.text.substr(1)))) return Layout::kValues;
  if (!opens_object(head.text)) return Layout::kOther;
  const std::string_view line = first_line(head.text);
  const bool one_line = line.size() == head.text.size();
  if (one_line) return has_suffix(head.file.path, ".json") ? Layout::kValues : Layout::kLines;
  const std::string_view rest = without_spaces(head.text.substr(line.size()));
  // A first record that is broken does not make one value of the others.
  if (fields_of_json(trimmed(line), names_of(head)).object || (line.size() > 1 && opens_object(first_line(rest))))
    return Layout::kLines;
  return Layout::kValues;
}

// Whether JSON holds documents: outside of folders, or by its name, or because its first object has a field of text.
bool holds_documents(const Head& head, Layout layout) {
  if (!head.file.in_folder || is_named_lines(head)) return true;
  const std::string_view object = first_object(head.text);
  if (object.empty()) {  // it is longer than the head
    return std::ranges::any_of(names_of(head).body, [&](const std::string& name) {
      return head.text.find("\"" + name.substr(name.rfind('.') + 1) + "\"") != head.text.npos;
    });
  }
  const JsonFields fields = fields_of_json(object, names_of(head));
  // A single object is more often a configuration than a document.
  const bool alone = layout == Layout::kValues && head.text.starts_with('{');
  return alone ? fields.id && fields.body : fields.title_or_body;
}

// Files whose names say so are JSON from the first line on that is; what stands before it is a bad record. In a folder,
// .json may also be JSON that holds no documents.
Sniffed sniff(const Head& head, Layout wanted) {
  const bool lines = is_named_lines(head), named = lines || has_suffix(head.file.path, ".json");
  Head json = head;
  while (named && !json.text.empty() && layout_of(json) == Layout::kOther) {
    (void)take_line(json.text);
    json.text = without_spaces(json.text);
  }
  if (layout_of(json) != Layout::kOther) return {layout_of(json) == wanted && holds_documents(json, wanted), {}};
  const bool other_json = head.file.in_folder && !lines && head.text.find_first_of("[{\"") == 0;
  if (!named || other_json) return {};
  return {true, kind_without_records(head.file.bytes)};
}
Sniffed sniff_jsonl(const Head& head) { return sniff(head, Layout::kLines); }
Sniffed sniff_json(const Head& head) { return sniff(head, Layout::kValues); }

// The longest JSON that is cheap whatever it holds, and the bytes that a byte of it takes: a number of one digit and a
// comma take 8 bytes in the parser's index and 32 on its tape.
constexpr std::size_t kSmallJson = 16 << 10;
constexpr std::uint64_t kWorstJson = 24;

ParseCost json_cost(const RawRecord& record) {
  const std::string_view json = record.text();
  if (json.size() <= kSmallJson) return {kWorstJson * json.size(), 0};
  const std::uint64_t separators = separators_of(json);
  // Each, and the value behind it, takes 4 bytes in the index and up to 16 on the tape.
  return {text_cost(json.size()) + 40 * separators, 0};
}

}  // namespace

constinit const SourceFormat kJsonl = {
    .name = "jsonl",
    .evidence = Evidence::kOpening,
    .one_encoding = true,
    .sniff = sniff_jsonl,
    .cut = line_cutter,
    .parse = parse_json,
    .cost = json_cost,
    .no_id = no_id_field,
    .parse_fields = parse_json_fields,
};
constinit const SourceFormat kJson = {
    .name = "json",
    .evidence = Evidence::kOpening,
    .one_encoding = true,
    .sniff = sniff_json,
    .cut = json_cutter,
    .parse = parse_json,
    .cost = json_cost,
    .no_id = no_id_field,
    .parse_fields = parse_json_fields,
};

}  // namespace frond::indexer::ingest
