#pragma once
// CSV (RFC 4180) and its like with semicolons or tabs: rows of fields below a header that names them.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frond::indexer::ingest {

// What the columns of a file are. Immutable.
struct CsvColumns {
  enum class Field : std::uint8_t { kOther, kId, kUrl, kTitle, kBody };
  char separator = ',';
  std::vector<Field> fields;  // of each column; at most one each of id, URL, title and body
  bool has(Field field) const;
};

// The columns that a header names, in any case, as field_names.h has them: with the separator, of comma, semicolon and
// tab, that makes it name text. Nothing: no column is title or body.
std::optional<CsvColumns> csv_columns(std::string_view header);

// The fields of a row, unquoted. A quotation mark inside a field that does not begin with one stands for itself.
std::vector<std::string> csv_fields(std::string_view row, char separator);

// Finds where a row ends, through pieces of it: at a line end that is not inside quotation marks.
class CsvRowEnd {
 public:
  explicit CsvRowEnd(char separator) : separator_(separator) {}
  // The place of the line end in `piece`, the next of the row; npos: further on. A new row begins behind it.
  std::size_t find(std::string_view piece);

 private:
  char separator_;
  bool begins_ = true;  // the next character is the first of a field
  bool quoted_ = false;
};

}  // namespace frond::indexer::ingest
