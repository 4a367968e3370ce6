#include "indexer/ingest/line_cutter.h"

namespace frond::indexer::ingest {
namespace {

class LineCutter final : public RecordCutter {
 public:
  explicit LineCutter(std::size_t max_bytes) : pieces_(max_bytes) {}
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    for (;;) {
      Cut cut{.number = ++line_, .offset = stream.offset()};
      if (!FROND_TRY(read_line(stream, cut))) return std::optional<Cut>();
      if (line_ == 1 && cut.bytes.starts_with(kByteOrderMark)) cut.bytes.erase(0, kByteOrderMark.size());
      if (!cut.bytes.empty() && cut.bytes.back() == '\r') cut.bytes.pop_back();
      if (!cut.problem.empty() || cut.bytes.find_first_not_of(" \t") != std::string::npos)
        return std::optional<Cut>(std::move(cut));
    }
  }

 private:
  // False at the end of the stream.
  Result<bool> read_line(ContentStream& stream, Cut& cut) {
    for (bool any = false;; any = true) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) return any;
      const std::size_t end = window.find('\n');
      const std::string_view part = window.substr(0, end);
      if (!any && end != window.npos) cut.bytes.reserve(part.size() + kParserSlack);
      pieces_.append(part, cut);
      stream.consume(part.size() + (end != window.npos));
      if (end != window.npos) return true;
    }
  }
  PieceCollector pieces_;
  std::uint64_t line_ = 0;
};

}  // namespace

std::unique_ptr<RecordCutter> line_cutter(std::size_t max_bytes) { return std::make_unique<LineCutter>(max_bytes); }

}  // namespace frond::indexer::ingest
