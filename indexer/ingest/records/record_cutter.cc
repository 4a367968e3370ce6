#include "indexer/ingest/records/record_cutter.h"

#include <algorithm>
#include <utility>

#include "indexer/ingest/lines.h"
#include "indexer/ingest/records/parse_record.h"
#include "indexer/ingest/streams/input_limits.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kLongRecord = 1 << 20;

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
  using RecordCutter::RecordCutter;

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
      append(part, cut);
      stream.consume(part.size() + (end != window.npos));
      if (end != window.npos) return true;
    }
  }

  std::uint64_t line_ = 0;    // lines that were given, or passed over
  std::optional<Cut> begun_;  // the beginning of the next line
};

}  // namespace

Result<bool> RecordCutter::pass(ContentStream& stream, std::uint64_t cuts, std::uint64_t offset,
                                const std::stop_token& stop) {
  for (std::uint64_t done = 0; done < cuts; ++done) {
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    if (!FROND_TRY(next(stream))) return false;
  }
  return stream.offset() == offset;
}

void append_piece(std::string& record, std::string_view piece, std::size_t max_bytes) {
  if (record.size() + piece.size() > kLongRecord && record.capacity() < max_bytes)
    record.reserve(max_bytes + kParserSlack);
  record.append(piece);
}

RecordCutter::RecordCutter(std::size_t max_bytes) : max_bytes_(max_bytes), too_long_why_(too_long(max_bytes)) {}

void RecordCutter::append(std::string_view piece, Cut& cut) const {
  if (cut.bytes.size() + piece.size() > max_bytes_) {
    cut.problem = too_long_why_;
    cut.bytes = {};
  }
  if (cut.problem.empty()) append_piece(cut.bytes, piece, max_bytes_);
}

std::size_t find_tag(std::string_view text, std::string_view tag, std::size_t from) {
  for (;; ++from) {
    from = text.find(tag.front(), from);
    if (from == text.npos || text.size() - from < tag.size()) return text.npos;
    if (std::ranges::equal(text.substr(from, tag.size()), tag, {}, small_letter)) return from;
  }
}

namespace {

class TaggedCutter final : public RecordCutter {
 public:
  TaggedCutter(const DocumentTags& tags, std::size_t max_bytes) : RecordCutter(max_bytes), tags_(tags) {}
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    if (!FROND_TRY(find_begin(stream))) return std::optional<Cut>();
    Cut cut{.number = ++documents_, .offset = begin_};
    FROND_TRY(read_document(stream, cut));
    return std::optional<Cut>(std::move(cut));
  }

 private:
  // Leaves the stream behind the next opening tag. False: there is none.
  Result<bool> find_begin(ContentStream& stream) {
    if (inside_) {  // the last document ended where this one begins
      inside_ = false;
      return true;
    }
    std::size_t matched = 0;
    for (;;) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) return false;
      std::size_t at = 0;
      while (at < window.size() && matched < tags_.begin.size()) {
        if (matched == 0) {
          at = std::min(window.find('<', at), window.size());
          if (at == window.size()) break;
        }
        if (small_letter(window[at]) == tags_.begin[matched]) {
          ++matched;
          ++at;
        } else {
          matched = 0;  // the tag has one '<': this byte may begin another
        }
      }
      stream.consume(at);
      if (matched == tags_.begin.size()) {
        begin_ = stream.offset() - tags_.begin.size();
        return true;
      }
    }
  }

  // Reads the document up to its closing tag. If an opening tag at the beginning of a line comes first, the closing tag
  // is missing.
  Result<void> read_document(ContentStream& stream, Cut& cut) {
    std::string& text = cut.bytes;
    for (;;) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) {
        cut.problem = tags_.no_end;
        break;
      }
      const std::size_t old_size = text.size();
      const std::size_t from = old_size - std::min(old_size, tags_.end.size() - 1);
      const std::size_t taken = std::min<std::size_t>(window.size(), kPieceBytes);
      append_piece(text, window.substr(0, taken), max_bytes_);
      std::size_t end = find_tag(text, tags_.end, from);
      const std::size_t begin = find_tag(text, tags_.next_begin, from);
      if (begin < end) {
        cut.problem = tags_.no_end_before_next;
        const std::size_t behind = begin + tags_.next_begin.size();
        stream.consume(behind - old_size);
        begin_ = stream.offset() - tags_.begin.size();
        inside_ = true;
        break;
      }
      if (end != std::string::npos) {
        stream.consume(end + tags_.end.size() - old_size);
        text.resize(end);
        break;
      }
      stream.consume(taken);
      if (text.size() > max_bytes_ || too_long_) {
        too_long_ = true;
        text.erase(0,
                   text.size() - (tags_.end.size() - 1));  // an end or a begin may start here
      }
    }
    if (too_long_ && cut.problem.empty()) cut.problem = too_long_why_;
    too_long_ = false;
    if (!cut.problem.empty()) text = {};
    return {};
  }
  static constexpr std::size_t kPieceBytes = 4 << 10;  // so that little is copied past a document's end

  const DocumentTags& tags_;
  std::uint64_t documents_ = 0, begin_ = 0;
  bool inside_ = false, too_long_ = false;
};

}  // namespace

std::unique_ptr<RecordCutter> tagged_cutter(const DocumentTags& tags, std::size_t max_bytes) {
  return std::make_unique<TaggedCutter>(tags, max_bytes);
}

std::unique_ptr<RecordCutter> line_cutter(std::size_t max_bytes) { return std::make_unique<LineCutter>(max_bytes); }

}  // namespace frond::indexer::ingest
