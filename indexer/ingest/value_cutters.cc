#include "indexer/ingest/value_cutters.h"

#include <algorithm>

#include "indexer/ingest/csv.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::string_view kMark = "\xef\xbb\xbf";

// Collects the pieces of a record; over the limit it has nothing but a problem.
class PieceCollector {
 public:
  explicit PieceCollector(std::size_t max_bytes) : max_bytes_(max_bytes), too_long_why_(too_long(max_bytes)) {}
  void append(std::string_view part, Cut& cut) const {
    if (cut.bytes.size() + part.size() > max_bytes_) {
      cut.problem = too_long_why_;
      cut.bytes = {};
    }
    if (cut.problem.empty()) append_piece(cut.bytes, part, max_bytes_);
  }

 private:
  std::size_t max_bytes_;
  std::string too_long_why_;
};

// Finds where a JSON value ends, through pieces of it.
class ValueEnd {
 public:
  // Behind the value that begins with piece[0], or goes on there; npos: further on.
  std::size_t find(std::string_view piece) {
    for (std::size_t at = 0; at < piece.size(); ++at) {
      const char c = piece[at];
      if (in_string_) {
        if (escaped_) {
          escaped_ = false;
        } else if (c == '\\') {
          escaped_ = true;
        } else if (c == '"') {
          in_string_ = false;
          if (depth_ == 0) return at + 1;
        } else {
          at = std::min(piece.find_first_of("\"\\", at), piece.size()) - 1;
        }
      } else if (c == '"') {
        in_string_ = true;
      } else if (c == '{' || c == '[') {
        ++depth_;
      } else if (c == '}' || c == ']') {
        if (depth_ <= 1) return at + (depth_ == 1 || (first_ && at == 0));
        --depth_;
      } else if (depth_ == 0 && (c == ',' || kSpaces.find(c) != std::string_view::npos)) {
        return at;  // a number, or a word
      }
    }
    first_ = false;
    return piece.npos;
  }

 private:
  std::size_t depth_ = 0;
  bool first_ = true, in_string_ = false, escaped_ = false;
};

class JsonCutter final : public RecordCutter {
 public:
  explicit JsonCutter(std::size_t max_bytes) : pieces_(max_bytes) {}
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    if (!FROND_TRY(find_value(stream))) return std::optional<Cut>();
    Cut cut{.number = ++values_, .offset = stream.offset()};
    ValueEnd value;
    for (;;) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) {
        cut.problem = "the file ends inside a JSON value";
        break;
      }
      const std::size_t end = value.find(window);
      pieces_.append(window.substr(0, end), cut);
      stream.consume(std::min(end, window.size()));
      if (end != window.npos) break;
    }
    return std::optional<Cut>(std::move(cut));
  }

 private:
  // Leaves the stream at the next value; false at its end. The brackets of the outermost array and commas are passed
  // over, wherever they stand.
  Result<bool> find_value(ContentStream& stream) {
    for (;;) {
      std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) return false;
      if (stream.offset() == 0 && window.starts_with(kMark)) {
        stream.consume(kMark.size());
        continue;
      }
      const std::size_t at = window.find_first_not_of(" \t\r\n\f\v,]");
      stream.consume(std::min(at, window.size()));
      if (at == window.npos) continue;
      if (window[at] != '[' || in_array_) return true;
      in_array_ = true;
      stream.consume(1);
    }
  }
  PieceCollector pieces_;
  std::uint64_t values_ = 0;
  bool in_array_ = false;
};

class CsvCutter final : public RecordCutter {
 public:
  explicit CsvCutter(std::size_t max_bytes) : pieces_(max_bytes) {}
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    if (done_) return std::optional<Cut>();
    for (;;) {
      Cut cut{.number = ++rows_, .offset = stream.offset()};
      if (!FROND_TRY(read_row(stream, cut))) return std::optional<Cut>();
      if (rows_ == 1 && cut.bytes.starts_with(kMark)) cut.bytes.erase(0, kMark.size());
      if (cut.bytes.ends_with('\r')) cut.bytes.pop_back();
      if (cut.problem.empty() && trimmed(cut.bytes).empty()) continue;
      if (!columns_) {
        std::optional<CsvColumns> columns = csv_columns(cut.bytes);
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
    CsvRowEnd row(columns_ ? columns_->separator : ',');
    for (bool any = false;; any = true) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) return any;
      const std::size_t end = row.find(window);
      pieces_.append(window.substr(0, end), cut);
      stream.consume(end == window.npos ? window.size() : end + 1);
      if (end != window.npos) return true;
    }
  }
  PieceCollector pieces_;
  std::uint64_t rows_ = 0;
  std::shared_ptr<const CsvColumns> columns_;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<RecordCutter> json_cutter(std::size_t max_bytes) { return std::make_unique<JsonCutter>(max_bytes); }
std::unique_ptr<RecordCutter> csv_cutter(std::size_t max_bytes) { return std::make_unique<CsvCutter>(max_bytes); }

}  // namespace frond::indexer::ingest
