#include <algorithm>
#include <utility>

#include "indexer/ingest/records/parse_record.h"
#include "indexer/ingest/records/record_cutter.h"

namespace frond::indexer::ingest {
namespace {

std::uint32_t lines_in(std::string_view text) { return static_cast<std::uint32_t>(count_of(text, '\n')); }

// Behind the first line end, or the whole text.
std::size_t end_of_first_line(std::string_view text) { return std::min(text.find('\n'), text.size() - 1) + 1; }

// Behind line number `lines` of the text, which has more.
std::size_t end_of_line(std::string_view text, std::uint32_t lines) {
  std::size_t end = 0;
  for (; lines > 0; --lines) end = text.find('\n', end) + 1;
  return end;
}

class LineCutter final : public RecordCutter {
 public:
  explicit LineCutter(std::size_t max_bytes) : max_bytes_(max_bytes), pieces_(max_bytes) {}

  Result<std::optional<Cut>> next(ContentStream& stream) override {
    for (;;) {
      Cut cut = begun_ ? *std::exchange(begun_, std::nullopt) : Cut{.number = line_ + 1, .offset = stream.offset()};
      if (!FROND_TRY(read_line(stream, cut))) return std::optional<Cut>();
      ++line_;
      if (cut.number == 1 && cut.bytes.starts_with(kByteOrderMark)) cut.bytes.erase(0, kByteOrderMark.size());
      if (cut.bytes.ends_with('\r')) cut.bytes.pop_back();
      if (!cut.problem.empty() || !is_blank_line(cut.bytes)) return std::optional<Cut>(std::move(cut));
    }
  }

  Result<std::optional<Cut>> next_lines(ContentStream& stream, LinesAtOnce most, std::string& memory) override {
    // A line that is too long to be one of many.
    most.bytes = std::min(most.bytes, max_bytes_ / 2);
    if (begun_ || most.bytes == 0) return next(stream);
    if (!FROND_TRY(stream.window()).empty())
      if (auto taken = stream.take(most, memory)) return with_whole_lines(std::move(*taken), stream, most);
    Cut cut{.number = line_ + 1, .offset = stream.offset(), .bytes = std::exchange(memory, {})};
    cut.bytes.clear();
    std::size_t whole = 0;  // of cut.bytes, in lines that ended
    while (cut.lines < most.lines && (whole < cut.bytes.size() || whole < most.bytes)) {
      std::string_view piece = FROND_TRY(stream.window());
      if (piece.empty()) break;
      const bool next_is_taken = !cut.bytes.empty() && stream.may_take_all(most);
      if (next_is_taken && whole == cut.bytes.size()) break;
      const std::size_t first = end_of_first_line(piece);
      const bool has_room = cut.bytes.size() < most.bytes && !next_is_taken;
      piece = piece.substr(0, has_room ? most.bytes - cut.bytes.size() : first);
      if (cut.bytes.size() - whole + first > most.bytes) {
        begun_ = Cut{.number = cut.number + cut.lines, .offset = cut.offset + whole, .bytes = cut.bytes.substr(whole)};
        cut.bytes.resize(whole);
        if (whole == 0) return next(stream);
        break;
      }
      std::uint32_t lines = lines_in(piece);
      if (lines >= most.lines - cut.lines) {
        lines = most.lines - cut.lines;
        piece = piece.substr(0, end_of_line(piece, lines));
      }
      if (!cut.bytes.empty()) cut.bytes.reserve(most.bytes + kReserve);  // small files have one piece
      cut.bytes += piece;
      cut.lines += lines;
      stream.consume(piece.size());
      if (lines > 0) whole = cut.bytes.rfind('\n') + 1;
      if (next_is_taken && lines > 0) break;
    }
    if (cut.bytes.empty()) return std::optional<Cut>();
    if (whole < cut.bytes.size()) ++cut.lines;  // the last line of the file has no end
    line_ += cut.lines;
    return std::optional<Cut>(std::move(cut));
  }

  bool inside_record() const override { return begun_.has_value(); }

  Result<bool> pass(ContentStream& stream, std::uint64_t cuts, std::uint64_t offset,
                    const std::stop_token& stop) override {
    bool ended = true;  // the last line
    while (stream.offset() < offset) {
      if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) return false;
      const std::string_view piece = window.substr(0, offset - stream.offset());
      line_ += lines_in(piece);
      ended = piece.back() == '\n';
      stream.consume(piece.size());
    }
    if (!ended) {
      if (!FROND_TRY(stream.window()).empty()) return false;
      ++line_;
    }
    return line_ == cuts;
  }

  std::uint64_t cuts_after(std::uint64_t, const Cut& cut) const override {
    return cut.number + std::max<std::uint32_t>(cut.lines, 1) - 1;
  }

 private:
  static constexpr std::size_t kReserve = 64 << 10;  // for the end of the last line of many

  // A piece that was taken as it was read, up to the end of its last line, which the next piece may have.
  Result<std::optional<Cut>> with_whole_lines(ContentStream::Taken taken, ContentStream& stream, LinesAtOnce most) {
    Cut cut{.number = line_ + 1,
            .offset = stream.offset() - (taken.bytes.size() - taken.front),
            .bytes = std::move(taken.bytes),
            .front = taken.front,
            .lines = static_cast<std::uint32_t>(taken.lines)};
    const std::size_t whole = cut.lines > 0 ? cut.bytes.rfind('\n') + 1 : cut.front;
    if (whole < cut.bytes.size()) {
      const std::string_view piece = FROND_TRY(stream.window());
      const std::string_view rest = piece.empty() ? piece : piece.substr(0, end_of_first_line(piece));
      if (piece.empty() || (rest.back() == '\n' && cut.bytes.size() - whole + rest.size() <= most.bytes)) {
        cut.bytes += rest;
        ++cut.lines;
        stream.consume(rest.size());
      } else {
        begun_ = Cut{.number = cut.number + cut.lines,
                     .offset = cut.offset + (whole - cut.front),
                     .bytes = cut.bytes.substr(whole)};
        if (cut.lines == 0) return next(stream);
        cut.bytes.resize(whole);
      }
    }
    line_ += cut.lines;
    return std::optional<Cut>(std::move(cut));
  }

  // False at the end of the stream.
  Result<bool> read_line(ContentStream& stream, Cut& cut) {
    for (bool any = !cut.bytes.empty() || !cut.problem.empty();; any = true) {
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

  std::size_t max_bytes_;
  PieceCollector pieces_;
  std::uint64_t line_ = 0;    // lines that were given, or passed over
  std::optional<Cut> begun_;  // the beginning of the next line
};

}  // namespace

std::unique_ptr<RecordCutter> line_cutter(std::size_t max_bytes) { return std::make_unique<LineCutter>(max_bytes); }

}  // namespace frond::indexer::ingest
