#pragma once
// Rows of CSV (RFC 4180): kCsv of formats.h.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/records/record_cutter.h"

namespace frond::indexer::ingest {

// What the columns of a file are. Immutable.
struct CsvColumns {
  enum class Field : std::uint8_t { kOther, kId, kUrl, kTitle, kBody };
  char separator = ',';
  std::vector<Field> fields;       // of each column; of body, several if the names say so
  std::vector<std::string> names;  // of each column, without white space around them
  bool has(Field field) const;
};

// The columns that a header names, in any case. The separator is the first of comma, semicolon and tab with which the
// header names a column of text. No value: no column is title or body.
std::optional<CsvColumns> csv_columns(std::string_view header, const FieldNames& names = usual_field_names());

// The fields of a row, unquoted. In a field that does not begin with a quotation mark, such marks stand for themselves.
std::vector<std::string> csv_fields(std::string_view row, char separator);

// Cuts the rows below the header; Cut::columns says what the header names. If it names no column of text, the file is
// one bad record.
std::unique_ptr<RecordCutter> csv_cutter(std::size_t max_bytes);

}  // namespace frond::indexer::ingest
