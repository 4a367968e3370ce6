#include <algorithm>

#include "indexer/ingest/formats/csv.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/records/document.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::string_view kNeverClosed = "a quotation mark that is not closed, or not where a field ends";
// So many rows tell whether rows follow: three in four must be sound.
constexpr int kRowsToTell = 16;
constexpr std::size_t kBytesToTell = 16 << 10;  // beyond the row that is not sound
// So many columns more than the header has may be quoted. A quotation mark that opens a row's field closes the field of
// an earlier row that is still open, so of the rows that are read on past it there are never more than columns.
constexpr std::size_t kSurplusColumns = 16;

// Whether a row has so many columns, and nothing but a separator behind each closing quotation mark. False if it ends
// inside marks, too.
bool is_sound_csv_row(std::string_view row, char separator, std::size_t columns) {
  std::size_t found = 1;
  for (std::size_t at = 0;; ++at, ++found) {
    if (at < row.size() && row[at] == '"') {
      do {
        at = row.find('"', at + 1);
        if (at == row.npos) return false;
        ++at;
      } while (at < row.size() && row[at] == '"');  // a second one stands for itself
      if (at < row.size() && row[at] != separator && row.substr(at) != "\r") return false;
    }
    at = row.find(separator, at);
    if (at == row.npos) return found == columns;
  }
}

// Finds the end of a row that comes in pieces: the first line end that is not inside quotation marks. Behind the first
// `columns`, such marks stand for themselves.
class CsvRowEnd {
 public:
  explicit CsvRowEnd(char separator, std::size_t columns = std::string_view::npos)
      : separator_(separator), quotable_(columns) {}
  // The place of the row's end in `piece`, the row's next piece; npos: it is further on. Behind it the next row begins.
  std::size_t find(std::string_view piece) {
    for (std::size_t at = 0; at < piece.size(); ++at) {
      if (quoted_) {
        at = piece.find('"', at);
        if (at == piece.npos) return at;
        quoted_ = false;  // a second one opens it again
        begins_ = true;
        continue;
      }
      const char c = piece[at];
      if (c == '\n') {
        begins_ = true;
        return at;
      }
      quoted_ = c == '"' && begins_ && quotable_ > 0;
      begins_ = c == separator_;
      if (begins_ && quotable_ > 0) --quotable_;
    }
    return piece.npos;
  }
  // Whether the row goes on inside quotation marks.
  bool quoted() const { return quoted_; }

 private:
  char separator_;
  std::size_t quotable_;  // columns from here on
  bool begins_ = true;    // the next character is the first of a field
  bool quoted_ = false;
};

class CsvCutter final : public RecordCutter {
 public:
  using RecordCutter::RecordCutter;
  void use_names(const FieldNames& names) override { names_ = &names; }
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    if (done_) return std::optional<Cut>();
    for (;;) {
      Cut cut{.number = ++rows_, .offset = stream.offset()};
      if (!FROND_TRY(read_row(stream, cut))) return std::optional<Cut>();
      if (rows_ == 1 && cut.bytes.starts_with(kByteOrderMark)) cut.bytes.erase(0, kByteOrderMark.size());
      if (cut.bytes.ends_with('\r')) cut.bytes.pop_back();
      if (cut.problem.empty() && trimmed(cut.bytes).empty()) continue;
      if (!columns_) {
        std::optional<CsvColumns> columns = csv_columns(cut.bytes, *names_);
        if (columns) {
          columns_ = std::make_shared<const CsvColumns>(*std::move(columns));
          continue;
        }
        done_ = true;
        cut.problem = "the header names no column of text (title, contents, body, text, content or passage)";
      }
      cut.columns = columns_;
      return std::optional<Cut>(std::move(cut));
    }
  }

 private:
  // False at the end of the stream.
  Result<bool> read_row(ContentStream& stream, Cut& cut) {
    CsvRowEnd row = row_end();
    for (bool any = false;; any = true) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) {
        if (any && row.quoted() && !FROND_TRY(resume_inside(stream, cut, {}))) refuse(cut);
        return any;
      }
      const std::size_t end = row.find(window), bytes = std::min(end, window.size());
      if (cut.bytes.size() + bytes > max_bytes_ && FROND_TRY(resume_inside(stream, cut, {}))) return true;
      append(FROND_TRY(stream.window()).substr(0, bytes), cut);
      stream.consume(bytes + (end != window.npos));
      if (end == window.npos) continue;
      if (columns_ && cut.bytes.find('\n') != cut.bytes.npos && !is_sound(cut.bytes))
        (void)FROND_TRY(resume_inside(stream, cut, "\n"));
      return true;
    }
  }

  // A row that goes over several lines and is not sound: if rows follow from one of them on, the row is bad, and is
  // read again from there. `end`: what was consumed behind cut.bytes. Lines before that one are not looked at again.
  Result<bool> resume_inside(ContentStream& stream, Cut& cut, std::string_view end) {
    const std::size_t line = cut.bytes.find('\n');
    if (line == std::string::npos || !columns_) return false;
    cut.bytes.append(end);
    const std::size_t inside = cut.bytes.size() - line - 1;
    stream.put_back(std::string_view(cut.bytes).substr(line + 1));
    cut.bytes.resize(cut.bytes.size() - end.size());
    const std::string_view text = FROND_TRY(stream.peek(inside + kBytesToTell));
    std::size_t at = 0;
    while (at < inside && !rows_follow(text.substr(at, inside - at + kBytesToTell)))
      at = std::min(text.find('\n', at), inside) + 1;
    stream.consume(std::min(at, inside));
    if (at < inside) refuse(cut);
    return at < inside;
  }
  static void refuse(Cut& cut) {
    if (cut.problem.empty()) cut.problem = kNeverClosed;
    cut.bytes = {};
  }

  CsvRowEnd row_end() const {
    return columns_ ? CsvRowEnd(columns_->separator, columns_->fields.size() + kSurplusColumns) : CsvRowEnd(',');
  }
  bool is_sound(std::string_view row) const {
    return is_sound_csv_row(row, columns_->separator, columns_->fields.size());
  }
  // Whether the text begins with a sound row, and most of those behind it are sound.
  bool rows_follow(std::string_view text) const {
    int rows = 0, sound = 0;
    while (!text.empty() && rows < kRowsToTell) {
      const std::size_t end = row_end().find(text);
      const std::string_view row = text.substr(0, end);
      const bool is_blank = trimmed(row).empty(), fits = is_sound(row);
      if (rows == 0 && (is_blank || !fits)) return false;
      if (end == text.npos && !fits) break;  // it may go on
      text.remove_prefix(std::min(text.size(), row.size() + 1));
      if (is_blank) continue;
      ++rows;
      sound += fits;
    }
    return rows > 0 && 4 * sound >= 3 * rows;
  }

  const FieldNames* names_ = &usual_field_names();
  std::uint64_t rows_ = 0;
  std::shared_ptr<const CsvColumns> columns_;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<RecordCutter> csv_cutter(std::size_t max_bytes) { return std::make_unique<CsvCutter>(max_bytes); }

}  // namespace frond::indexer::ingest
