#include "indexer/ingest/csv_cutter.h"

#include <algorithm>

#include "indexer/ingest/csv.h"
#include "indexer/ingest/field_names.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::string_view kNeverClosed = "a quotation mark that is not closed, or not where a field ends";
// So many rows tell whether rows follow: three in four must be sound.
constexpr int kRowsToTell = 16;
constexpr std::size_t kBytesToTell = 16 << 10;  // beyond the row that is not sound

class CsvCutter final : public RecordCutter {
 public:
  explicit CsvCutter(std::size_t max_bytes) : max_bytes_(max_bytes), pieces_(max_bytes) {}
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
    CsvRowEnd row(columns_ ? columns_->separator : ',');
    for (bool any = false;; any = true) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) {
        if (any && row.quoted()) (void)FROND_TRY(resume_at_next_line(stream, cut, {}, true));
        return any;
      }
      const std::size_t end = row.find(window), bytes = std::min(end, window.size());
      if (cut.bytes.size() + bytes > max_bytes_ && FROND_TRY(resume_at_next_line(stream, cut, {}, false))) return true;
      pieces_.append(FROND_TRY(stream.window()).substr(0, bytes), cut);
      stream.consume(bytes + (end != window.npos));
      if (end == window.npos) continue;
      if (columns_ && cut.bytes.find('\n') != cut.bytes.npos && !is_sound(cut.bytes))
        (void)FROND_TRY(resume_at_next_line(stream, cut, "\n", false));
      return true;
    }
  }

  // A row that goes over several lines and is not sound: if rows follow its first line, that line is the bad record,
  // and the others are read again. `end`: what was consumed behind cut.bytes. `at_end`: the stream ends inside the row,
  // which is bad in any case.
  Result<bool> resume_at_next_line(ContentStream& stream, Cut& cut, std::string_view end, bool at_end) {
    const std::size_t line = cut.bytes.find('\n');
    bool rows = line != std::string::npos && columns_ != nullptr;
    if (rows) {
      std::string rest = cut.bytes.substr(line + 1).append(end);
      const std::size_t taken = rest.size();
      if (!at_end) rest.append(FROND_TRY(stream.peek(kBytesToTell)).substr(0, kBytesToTell));
      rows = rows_follow(rest, at_end);
      if (rows) stream.put_back(std::string_view(rest).substr(0, taken));
    }
    if (rows || at_end) {
      if (cut.problem.empty()) cut.problem = kNeverClosed;
      cut.bytes = {};
    }
    return rows;
  }

  bool is_sound(std::string_view row) const {
    return is_sound_csv_row(row, columns_->separator, columns_->fields.size());
  }
  // `whole`: the text is all that follows.
  bool rows_follow(std::string_view text, bool whole) const {
    int rows = 0, sound = 0;
    while (!text.empty() && rows < kRowsToTell) {
      const std::size_t end = CsvRowEnd(columns_->separator).find(text);
      if (end == text.npos && !whole && rows > 0) break;
      const std::string_view row = text.substr(0, end);
      text.remove_prefix(std::min(text.size(), row.size() + 1));
      if (trimmed(row).empty()) continue;
      ++rows;
      sound += is_sound(row);
    }
    return rows > 0 && 4 * sound >= 3 * rows;
  }

  std::size_t max_bytes_;
  PieceCollector pieces_;
  const FieldNames* names_ = &usual_field_names();
  std::uint64_t rows_ = 0;
  std::shared_ptr<const CsvColumns> columns_;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<RecordCutter> csv_cutter(std::size_t max_bytes) { return std::make_unique<CsvCutter>(max_bytes); }

}  // namespace frond::indexer::ingest
