#include "indexer/ingest/record_cutter.h"

#include <algorithm>

#include "indexer/ingest/value_cutters.h"

namespace frond::indexer::ingest {
namespace {

// simdjson reads this far past a record; room for it spares a copy.
constexpr std::size_t kParserSlack = 64;
constexpr std::size_t kLongRecord = 1 << 20;

}  // namespace

void append_piece(std::string& record, std::string_view piece, std::size_t max_bytes) {
  if (record.size() + piece.size() > kLongRecord && record.capacity() < max_bytes)
    record.reserve(max_bytes + kParserSlack);
  record.append(piece);
}

namespace {

// jsonl and tsv. Lines of white space only are no records, but have numbers.
class LineCutter final : public RecordCutter {
 public:
  explicit LineCutter(std::size_t max_bytes) : max_bytes_(max_bytes), too_long_why_(too_long(max_bytes)) {}
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    for (;;) {
      Cut cut{.number = ++line_, .offset = stream.offset()};
      if (!FROND_TRY(read_line(stream, cut))) return std::optional<Cut>();
      if (line_ == 1 && cut.bytes.starts_with("\xef\xbb\xbf")) cut.bytes.erase(0, 3);
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
      if (cut.bytes.size() + part.size() > max_bytes_) {
        cut.problem = too_long_why_;
        cut.bytes = {};
      }
      if (cut.problem.empty()) {
        if (!any && end != window.npos) cut.bytes.reserve(part.size() + kParserSlack);
        append_piece(cut.bytes, part, max_bytes_);
      }
      stream.consume(part.size() + (end != window.npos));
      if (end != window.npos) return true;
    }
  }
  std::size_t max_bytes_;
  std::string too_long_why_;
  std::uint64_t line_ = 0;
};

// TREC's <DOC> … </DOC>, and wikiextractor's like. What stands between documents is no part of one.
struct DocumentTags {
  std::string_view begin, end, next_begin;  // the first and the last as they stand at the begin of a line
  std::string_view no_end, no_end_before_next;
};
constexpr DocumentTags kTrecTags = {"<DOC>", "</DOC>", "\n<DOC>", "no </DOC> before the end of the file",
                                    "no </DOC> before the next <DOC>"};
constexpr DocumentTags kWikiTags = {"<doc ", "</doc>", "\n<doc ", "no </doc> before the end of the file",
                                    "no </doc> before the next <doc>"};

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
  // Leaves the stream behind the next begin; false when there is none.
  Result<bool> find_begin(ContentStream& stream) {
    if (inside_) {  // the last document ended at the begin of this one
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
        if (window[at] == tags_.begin[matched]) {
          ++matched;
          ++at;
        } else {
          matched = 0;  // it has one '<': look at this byte again as a first one
        }
      }
      stream.consume(at);
      if (matched == tags_.begin.size()) {
        begin_ = stream.offset() - tags_.begin.size();
        return true;
      }
    }
  }

  // The document up to its end. One that runs into the next begin, at the begin of a line, has lost it.
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
      std::size_t end = text.find(tags_.end, from);
      const std::size_t begin = text.find(tags_.next_begin, from);
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
        text.erase(0, text.size() - (tags_.end.size() - 1));  // what an end or a begin may start with
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

// A file is a record.
class FileCutter final : public RecordCutter {
 public:
  explicit FileCutter(std::size_t max_bytes) : max_bytes_(max_bytes), too_long_why_(too_long(max_bytes)) {}
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    if (done_) return std::optional<Cut>();
    done_ = true;
    Cut cut{.number = 1};
    for (;;) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) break;
      if (cut.bytes.size() + window.size() > max_bytes_) {
        cut.problem = too_long_why_;
        cut.bytes = {};
        break;
      }
      append_piece(cut.bytes, window, max_bytes_);
      stream.consume(window.size());
    }
    return std::optional<Cut>(std::move(cut));
  }

 private:
  std::size_t max_bytes_;
  std::string too_long_why_;
  bool done_ = false;
};

}  // namespace

Result<std::string_view> ContentStream::window() {
  if (window_.empty()) window_ = as_text(FROND_TRY(source_->read()));
  return window_;
}

Result<std::string_view> ContentStream::peek(std::size_t bytes) {
  if (window_.size() >= bytes) return window_;
  head_.assign(window_);
  while (head_.size() < bytes) {
    const ByteView more = FROND_TRY(source_->read());
    if (more.empty()) break;
    head_.append(as_text(more));
  }
  window_ = head_;
  return window_;
}

std::unique_ptr<RecordCutter> RecordCutter::create(Format format, std::size_t max_bytes) {
  switch (format) {
    case Format::kJson:
      return json_cutter(max_bytes);
    case Format::kCsv:
      return csv_cutter(max_bytes);
    case Format::kTrec:
      return std::make_unique<TaggedCutter>(kTrecTags, max_bytes);
    case Format::kWikiextractor:
      return std::make_unique<TaggedCutter>(kWikiTags, max_bytes);
    case Format::kFiles:
      return std::make_unique<FileCutter>(max_bytes);
    case Format::kAuto:
    case Format::kJsonl:
    case Format::kTsv:
      break;
  }
  return std::make_unique<LineCutter>(max_bytes);
}

}  // namespace frond::indexer::ingest
