#include "indexer/ingest/formats/csv.h"

#include <algorithm>
#include <span>

#include "indexer/ingest/encoding/charset.h"
#include "indexer/ingest/files/file_kind.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/records/document.h"
#include "indexer/ingest/records/record_cutter.h"

namespace frond::indexer::ingest {
namespace {

using Field = CsvColumns::Field;

constexpr std::string_view kSeparators = ",;\t";

// Marks the column with the first of `names` that the header has as `field`; `all`: each of them.
void name_column(std::span<const std::string> header, std::span<const std::string> names, Field field,
                 std::vector<Field>& fields, bool all = false) {
  for (const std::string& name : names) {
    const auto same = [&](const std::string& column) {
      return std::ranges::equal(trimmed(column), name, {}, small_letter, small_letter);
    };
    const auto found = std::ranges::find_if(header, same);
    if (found == header.end()) continue;
    fields[static_cast<std::size_t>(found - header.begin())] = field;
    if (!all) return;
  }
}

// In a folder, only files whose name says that they are CSV or TSV. A single file without such a name needs an id, too.
Sniffed sniff_csv(const Beginning& head) {
  const bool named_csv = has_suffix(head.path, ".csv");
  const bool named = named_csv || has_suffix(head.path, ".tsv") || has_suffix(head.path, ".tab");
  if (!named && head.in_folder) return {};
  const std::optional<CsvColumns> columns = csv_columns(trimmed(first_line(head.text)), names_or_usual(head.names));
  if (columns && (named || (columns->has(Field::kId) && columns->fields.size() > 1))) return {true, {}};
  if (named_csv) return {true, SkipReason::kColumns};
  return {};
}

// A cell is one value, in whatever way it is written; an empty one is none.
Result<void> take_fields(std::span<const std::string> cells, const CsvColumns& columns, const FieldReading& reading,
                         DocumentFields& to) {
  for (std::uint32_t i = 0; i < reading.schema->fields.size(); ++i) {
    const schema::Field& field = reading.schema->fields[i];
    const auto named = std::ranges::find(columns.names, field.name);
    if (named == columns.names.end() || is_title_or_body(field)) continue;
    const auto place = static_cast<std::size_t>(named - columns.names.begin());
    if (cells[place].empty()) continue;
    if (field.type == schema::FieldType::kText) {
      const Field what = columns.fields[place];
      if (what == Field::kTitle || what == Field::kBody) {  // names of columns count in any case
        const std::string is = what == Field::kTitle ? "title" : "body";
        return Error(Code::kInvalid,
                     "field '" + field.name + "': this column is the " + is + "; a schema has it as '" + is + "'");
      }
      std::string text = cells[place];
      std::erase(text, '\0');
      if (!text.empty()) to.texts.push_back({i, std::move(text)});
      continue;
    }
    if (field.type == schema::FieldType::kWeights) {
      if (trimmed(cells[place]).empty()) continue;
      if (!reading.coerce)
        return Error(Code::kInvalid, "field '" + field.name + "': columns of CSV hold no weights; JSON does");
      ++to.left_out;
      continue;
    }
    ColumnReader column(field, i, reading.coerce, schema::Reading::kLenient);
    FROND_TRY(column.add(cells[place]));
    std::move(column).finish(to);
  }
  return {};
}

Result<Document> parse_csv(const RawRecord& record, const NamedFields& named) {
  const CsvColumns& columns = *record.columns;
  std::string storage;
  std::vector<std::string> fields = csv_fields(FROND_TRY(utf8_of_record(record, storage)), columns.separator);
  if (fields.size() != columns.fields.size())
    return Error(Code::kInvalid, std::to_string(fields.size()) + " columns, but the header has " +
                                     std::to_string(columns.fields.size()));
  Document document;
  document.not_utf8 = !storage.empty();
  if (named.reading.schema != nullptr) FROND_TRY(take_fields(fields, columns, named.reading, document.fields));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (columns.fields[i] == Field::kId) document.id = std::move(fields[i]);
    if (columns.fields[i] == Field::kUrl) document.url = std::move(fields[i]);
    if (columns.fields[i] == Field::kTitle) document.title = std::move(fields[i]);
    if (columns.fields[i] != Field::kBody) continue;
    if (document.body.empty()) {
      document.body = std::move(fields[i]);
    } else {
      document.body.append("\n").append(fields[i]);
    }
  }
  return document;
}

// Each field is a string, and is moved while its vector grows. Quotation marks and the separators between them count,
// too.
ParseCost csv_cost(const RawRecord& record) {
  constexpr std::uint64_t kFieldBytes = 2 * sizeof(std::string);
  const char separator = record.columns ? record.columns->separator : ',';
  return {text_cost(record.bytes.size()) + kFieldBytes * (count_of(record.bytes, separator) + 1), 0};
}

// Whether a line has the columns of MS MARCO, or an id and text.
bool is_known_tsv(std::string_view line) {
  const auto tabs = std::ranges::count(line, '\t');
  if (tabs == 1) return true;
  const std::string_view second = line.substr(std::min(line.find('\t') + 1, line.size()));
  return tabs == 3 && (second.starts_with("http://") || second.starts_with("https://"));
}

// In a folder, only files whose name says that they are TSV, and folders of nothing else.
Sniffed sniff_tsv(const Beginning& head) {
  if (has_suffix(head.path, ".tsv") || has_suffix(head.path, ".tab")) {
    const std::size_t tab = head.text.find('\t');
    if (tab == head.text.npos) return {true, kind_without_records(head.bytes)};
    // Lines before the first one with a tab are bad records.
    const std::string_view line = first_line(head.text.substr(head.text.substr(0, tab).rfind('\n') + 1));
    if (!head.in_folder || is_known_tsv(line)) return {true, {}};
    return {true, SkipReason::kColumns};
  }
  return {(!head.in_folder || head.among_tsv) && looks_like_tsv(head.text), {}};
}

// The columns of MS MARCO's documents behind the id: URL, title and text. False: these are others.
bool take_web_columns(std::string_view rest, Document& document) {
  if (!rest.starts_with("http://") && !rest.starts_with("https://")) return false;
  const std::size_t url = rest.find('\t');
  const std::size_t title = url == rest.npos ? url : rest.find('\t', url + 1);
  if (title == rest.npos || rest.find('\t', title + 1) != rest.npos) return false;
  document.url = rest.substr(0, url);
  document.title = rest.substr(url + 1, title - url - 1);
  document.body = rest.substr(title + 1);
  return true;
}

Result<Document> parse_tsv(const RawRecord& record, const NamedFields&) {
  std::string storage;
  const std::string_view line = FROND_TRY(utf8_of_record(record, storage));
  const std::size_t tab = line.find('\t');
  if (tab == line.npos) return Error(Code::kInvalid, "no tab behind the id");
  Document document;
  document.not_utf8 = !storage.empty();
  document.id = line.substr(0, tab);
  const std::string_view rest = line.substr(tab + 1);
  if (take_web_columns(rest, document)) return document;
  document.body = rest;
  return document;
}

ParseCost tsv_cost(const RawRecord& record) { return {text_cost(record.text().size()), 0}; }

}  // namespace

bool CsvColumns::has(Field field) const { return std::ranges::find(fields, field) != fields.end(); }

std::optional<CsvColumns> csv_columns(std::string_view header, const FieldNames& wanted) {
  for (const char separator : kSeparators) {
    const std::vector<std::string> names = csv_fields(header, separator);
    CsvColumns columns{separator, std::vector<Field>(names.size(), Field::kOther), {}};
    for (const std::string& name : names) columns.names.emplace_back(trimmed(name));
    name_column(names, wanted.id, Field::kId, columns.fields);
    name_column(names, wanted.url, Field::kUrl, columns.fields);
    name_column(names, wanted.title, Field::kTitle, columns.fields);
    name_column(names, wanted.body, Field::kBody, columns.fields, wanted.join_bodies);
    if (columns.has(Field::kTitle) || columns.has(Field::kBody)) return columns;
  }
  return std::nullopt;
}

std::vector<std::string> csv_fields(std::string_view row, char separator) {
  std::vector<std::string> fields;
  for (std::size_t at = 0;;) {
    std::string& field = fields.emplace_back();
    if (at < row.size() && row[at] == '"') {
      for (bool inside = true; inside;) {
        const std::size_t mark = std::min(row.find('"', at + 1), row.size());
        field.append(row, at + 1, mark - at - 1);
        inside = mark + 1 < row.size() && row[mark + 1] == '"';  // a second one stands for itself
        if (inside) field.push_back('"');
        at = mark + inside;
      }
      at = std::min(at + 1, row.size());
    }
    const std::size_t end = std::min(row.find(separator, at), row.size());
    field.append(row, at, end - at);
    if (end == row.size()) return fields;
    at = end + 1;
  }
}

constinit const SourceFormat kCsv = {
    .name = "csv",
    .evidence = Evidence::kHeader,
    .one_encoding = true,
    .has_names = true,
    .sniff = sniff_csv,
    .cut = csv_cutter,
    .parse = parse_csv,
    .cost = csv_cost,
};

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

constinit const SourceFormat kTsv = {
    .name = "tsv",
    .evidence = Evidence::kLines,
    .one_encoding = true,
    .sniff = sniff_tsv,
    .cut = line_cutter,
    .parse = parse_tsv,
    .cost = tsv_cost,
};

}  // namespace frond::indexer::ingest
