#include "indexer/ingest/formats/csv.h"

#include <algorithm>
#include <span>

#include "indexer/ingest/encoding/charset.h"
#include "indexer/ingest/files/file_kind.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/records/document.h"

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
Sniffed sniff_csv(const Head& head) {
  const bool named_csv = has_suffix(head.file.path, ".csv");
  const bool named = named_csv || has_suffix(head.file.path, ".tsv") || has_suffix(head.file.path, ".tab");
  if (!named && head.file.in_folder) return {};
  const std::optional<CsvColumns> columns =
      csv_columns(trimmed(first_line(head.text)), names_or_usual(head.file.names));
  if (columns && (named || (columns->has(Field::kId) && columns->fields.size() > 1))) return {true, {}};
  if (named_csv) return {true, SkipReason::kColumns};
  return {};
}

Result<Document> parse_csv(const RawRecord& record) {
  const CsvColumns& columns = *record.columns;
  std::string storage;
  std::vector<std::string> fields = csv_fields(FROND_TRY(utf8_of_record(record, storage)), columns.separator);
  if (fields.size() != columns.fields.size())
    return Error(Code::kInvalid, std::to_string(fields.size()) + " columns, but the header has " +
                                     std::to_string(columns.fields.size()));
  Document document;
  document.not_utf8 = !storage.empty();
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

}  // namespace

bool CsvColumns::has(Field field) const { return std::ranges::find(fields, field) != fields.end(); }

std::optional<CsvColumns> csv_columns(std::string_view header, const FieldNames& wanted) {
  for (const char separator : kSeparators) {
    const std::vector<std::string> names = csv_fields(header, separator);
    CsvColumns columns{separator, std::vector<Field>(names.size(), Field::kOther)};
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
    .sniff = sniff_csv,
    .cut = csv_cutter,
    .parse = parse_csv,
    .cost = csv_cost,
    .no_id = {},
};

}  // namespace frond::indexer::ingest
