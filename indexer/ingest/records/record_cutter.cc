#include "indexer/ingest/records/record_cutter.h"

#include <algorithm>

#include "indexer/ingest/lines.h"
#include "indexer/ingest/streams/input_limits.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kLongRecord = 1 << 20;

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

PieceCollector::PieceCollector(std::size_t max_bytes) : max_bytes_(max_bytes), too_long_why_(too_long(max_bytes)) {}

void PieceCollector::append(std::string_view piece, Cut& cut) const {
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
  TaggedCutter(const DocumentTags& tags, std::size_t max_bytes)
      : tags_(tags), max_bytes_(max_bytes), too_long_why_(too_long(max_bytes)) {}
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
  std::size_t max_bytes_;
  std::string too_long_why_;
  std::uint64_t documents_ = 0, begin_ = 0;
  bool inside_ = false, too_long_ = false;
};

}  // namespace

std::unique_ptr<RecordCutter> tagged_cutter(const DocumentTags& tags, std::size_t max_bytes) {
  return std::make_unique<TaggedCutter>(tags, max_bytes);
}

}  // namespace frond::indexer::ingest
