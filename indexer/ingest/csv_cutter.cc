#include "indexer/ingest/csv_cutter.h"

#include "indexer/ingest/csv.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

class CsvCutter final : public RecordCutter {
 public:
  explicit CsvCutter(std::size_t max_bytes) : pieces_(max_bytes) {}
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    if (done_) return std::optional<Cut>();
    for (;;) {
      Cut cut{.number = ++rows_, .offset = stream.offset()};
      if (!FROND_TRY(read_row(stream, cut))) return std::optional<Cut>();
      if (rows_ == 1 && cut.bytes.starts_with(kByteOrderMark)) cut.bytes.erase(0, kByteOrderMark.size());
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

std::unique_ptr<RecordCutter> csv_cutter(std::size_t max_bytes) { return std::make_unique<CsvCutter>(max_bytes); }

}  // namespace frond::indexer::ingest
