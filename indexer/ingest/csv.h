#pragma once
// CSV (RFC 4180), also with semicolons or tabs: rows of fields below a header that names them, as in field_names.h.
// UTF-8. A row has as many columns as the header.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/ingest/source_format.h"

namespace frond::indexer::ingest {

extern const SourceFormat kCsv;

// What the columns of a file are. Immutable.
struct CsvColumns {
  enum class Field : std::uint8_t { kOther, kId, kUrl, kTitle, kBody };
  char separator = ',';
  std::vector<Field> fields;  // of each column; of body, several if the names say so
  bool has(Field field) const;
};

// The columns that a header names, in any case. The separator is the first of comma, semicolon and tab with which the
// header names a column of text. No value: no column is title or body.
std::optional<CsvColumns> csv_columns(std::string_view header, const FieldNames& names = usual_field_names());

// The fields of a row, unquoted. In a field that does not begin with a quotation mark, such marks stand for themselves.
std::vector<std::string> csv_fields(std::string_view row, char separator);

// Whether a row has so many columns, and nothing but a separator behind each closing quotation mark. False if it ends
// inside marks, too.
bool is_sound_csv_row(std::string_view row, char separator, std::size_t columns);

// Finds the end of a row that comes in pieces: the first line end that is not inside quotation marks. Behind the first
// `columns`, such marks stand for themselves.
class CsvRowEnd {
 public:
  explicit CsvRowEnd(char separator, std::size_t columns = std::string_view::npos)
      : separator_(separator), quotable_(columns) {}
  // The place of the row's end in `piece`, the row's next piece; npos: it is further on. Behind it the next row begins.
  std::size_t find(std::string_view piece);
  // Whether the row goes on inside quotation marks.
  bool quoted() const { return quoted_; }

 private:
  char separator_;
  std::size_t quotable_;  // columns from here on
  bool begins_ = true;    // the next character is the first of a field
  bool quoted_ = false;
};

}  // namespace frond::indexer::ingest
