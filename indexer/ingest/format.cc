#include "indexer/ingest/format.h"

#include <algorithm>
#include <array>
#include <string>

#include "indexer/ingest/csv.h"
#include "indexer/ingest/file_kind.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/parsers.h"
#include "indexer/ingest/text_kind.h"
#include "indexer/ingest/wide_text.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::array<std::string_view, kFormats> kNamesOfFormats = {"auto", "jsonl", "json",          "tsv",
                                                                    "csv",  "trec",  "wikiextractor", "files"};

std::string_view without_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  return text;
}

// The head of a file as text, with what is known beside it.
struct Head {
  const Beginning& file;
  std::string_view text;  // a plain_beginning() behind its first spaces
};

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

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

// JSON Lines or JSON, when the head opens an object or an array of objects.
std::optional<Format> json_layout(const Head& head) {
  if (head.text.starts_with('[') && opens_object(without_spaces(head.text.substr(1)))) return Format::kJson;
  if (!opens_object(head.text)) return std::nullopt;
  const std::string_view line = first_line(head.text);
  const bool one_line = line.size() == head.text.size();
  if (one_line) return has_suffix(head.file.path, ".json") ? Format::kJson : Format::kJsonl;
  const std::string_view rest = without_spaces(head.text.substr(line.size()));
  // A first record that is broken doesn't make the others one value.
  if (fields_of_json(trimmed(line)).object || (line.size() > 1 && opens_object(first_line(rest))))
    return Format::kJsonl;
  return Format::kJson;
}

std::optional<Format> tell_json(const Head& head) {
  const std::optional<Format> layout = json_layout(head);
  if (!layout || !head.file.in_folder || has_suffix(head.file.path, ".jsonl") || has_suffix(head.file.path, ".ndjson"))
    return layout;
  const std::string_view object = first_object(head.text);
  if (object.empty()) {  // longer than what we see
    for (const std::string_view name : {"\"contents\"", "\"body\"", "\"text\"", "\"content\"", "\"passage\""})
      if (head.text.find(name) != head.text.npos) return layout;
    return std::nullopt;
  }
  const JsonFields fields = fields_of_json(object);
  // One object alone is more often a configuration than a document.
  const bool alone = layout == Format::kJson && head.text.starts_with('{');
  return (alone ? fields.id && fields.body : fields.title_or_body) ? layout : std::nullopt;
}

// MS MARCO's, or id and text.
bool is_known_tsv(std::string_view line) {
  const auto tabs = std::ranges::count(line, '\t');
  if (tabs == 1) return true;
  const std::string_view second = line.substr(std::min(line.find('\t') + 1, line.size()));
  return tabs == 3 && (second.starts_with("http://") || second.starts_with("https://"));
}

std::optional<std::variant<Format, SkipReason>> tell_table(const Head& head) {
  const bool named_csv = has_suffix(head.file.path, ".csv");
  const bool named_tsv = has_suffix(head.file.path, ".tsv") || has_suffix(head.file.path, ".tab");
  const std::string_view line = first_line(head.text);
  if (named_csv || named_tsv || !head.file.in_folder) {
    const std::optional<CsvColumns> columns = csv_columns(trimmed(line));
    const bool sure =
        columns && (named_csv || named_tsv || (columns->has(CsvColumns::Field::kId) && columns->fields.size() > 1));
    if (sure) return Format::kCsv;
    if (named_csv) return SkipReason::kColumns;
  }
  if (named_tsv && line.find('\t') != line.npos) {
    if (!head.file.in_folder || is_known_tsv(line)) return Format::kTsv;
    return SkipReason::kColumns;
  }
  if ((!head.file.in_folder || head.file.among_tsv) && looks_like_tsv(head.text)) return Format::kTsv;
  return std::nullopt;
}

std::optional<std::variant<Format, SkipReason>> tell_records(const Head& head) {
  if (head.text.starts_with("<DOC>")) return Format::kTrec;
  if (head.text.starts_with("<doc ") && first_line(head.text).find(" id=\"") != head.text.npos)
    return Format::kWikiextractor;
  if (const std::optional<Format> json = tell_json(head)) return *json;
  return tell_table(head);
}

}  // namespace

std::string_view name_of(Format format) { return kNamesOfFormats[static_cast<std::size_t>(format)]; }

std::optional<Format> format_named(std::string_view name) {
  const auto found = std::ranges::find(kNamesOfFormats, name);
  if (found == kNamesOfFormats.end()) return std::nullopt;
  return static_cast<Format>(found - kNamesOfFormats.begin());
}

bool looks_like_tsv(std::string_view beginning) {
  std::size_t lines = 0, fitting = 0;
  for (constexpr std::size_t kLines = 100; !beginning.empty() && lines < kLines;) {
    const bool ended = beginning.find('\n') != beginning.npos;
    const std::string_view line = take_line(beginning);
    if (line.empty() || (!ended && lines > 0)) continue;
    const std::size_t tab = line.find('\t');
    ++lines;
    fitting += tab != line.npos && tab > 0 && line.substr(0, tab).find_first_of(kSpaces) == line.npos;
  }
  return lines > 0 && fitting * 10 >= lines * 9;
}

std::variant<Format, SkipReason> tell_format(const Beginning& file, Format wanted) {
  if (const auto kind = known_kind(file.bytes)) return *kind;
  std::string storage;
  const Head head{file, without_spaces(plain_beginning(file.bytes, storage))};
  if (head.text.empty() && file.whole) return SkipReason::kEmpty;
  if (wanted == Format::kAuto) {
    const auto records = tell_records(head);
    const bool wide = !wide_encoding(file.bytes).empty();
    if (records && wide && std::holds_alternative<Format>(*records)) return SkipReason::kWideRecords;
    if (records) return *records;
  } else if (wanted != Format::kFiles) {
    return wanted;
  }
  if (const auto kind = binary_kind(file.bytes)) return *kind;
  if (text_kind(file.path, head.text) == TextKind::kXml) return SkipReason::kXml;
  return Format::kFiles;
}

}  // namespace frond::indexer::ingest
