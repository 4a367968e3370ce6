#include <algorithm>
#include <utility>

#include "indexer/ingest/formats/archive.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/http/content_coding.h"
#include "indexer/ingest/http/http_response.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/streams/input_limits.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kMaxBeginning = 4 << 10;  // of a record, that is looked at to tell whether it is one
constexpr std::size_t kDoubtfulStep = 16 << 10;
constexpr std::size_t kMaxWarcHead = 64 << 10;  // of a record, and of an HTTP response
constexpr std::size_t kKeptOfLine = 8 << 10;    // enough for the head of an ARC record

bool is_warc_record(std::string_view text) {
  if (!is_warc_version(take_line(text))) return false;
  const std::string_view field = text.substr(0, text.find_first_of("-:"));
  return text.empty() || same_name(field, "WARC") || same_name(field, "Content");
}

bool is_arc_record(std::string_view text) { return arc_head(take_line(text)).has_value(); }

// The blocks of web archives are what stands behind the heads of WARC and ARC records, to the page that they hold.
class ArchiveCutter final : public RecordCutter {
 public:
  ArchiveCutter(bool arc, std::size_t max_bytes)
      : RecordCutter(max_bytes),
        arc_(arc),
        beginning_(arc ? Beginning{"\nhttp", 1, is_arc_record} : Beginning{"WARC/", 0, is_warc_record}) {}
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    Cut cut;
    if (!FROND_TRY(find_begin(stream, cut))) return std::optional<Cut>();
    cut.number = ++records_;
    if (cut.problem.empty()) FROND_TRY(read_record(stream, cut));
    if (!cut.problem.empty() || cut.skip_because) cut.bytes = {};
    return std::optional<Cut>(std::move(cut));
  }

 private:
  // Leaves the stream behind the first line of the next record. What stands before it other than empty lines is a bad
  // record. False: the end.
  Result<bool> find_begin(ContentStream& stream, Cut& cut) {
    if (!found_) FROND_TRY(find_first_line(stream));
    if (junk_) {
      cut.problem = arc_ ? "what is here is no ARC record" : "what is here is no WARC record";
      cut.offset = *junk_;
      junk_.reset();
      return true;
    }
    cut.offset = begin_;
    return std::exchange(found_, false);
  }
  Result<void> find_first_line(ContentStream& stream) {
    for (;;) {
      const std::uint64_t offset = stream.offset();
      if (!FROND_TRY(read_line(stream, line_))) return {};
      if (arc_ ? arc_head(line_).has_value() : is_warc_version(line_)) {
        begin_ = offset;
        found_ = true;
        return {};
      }
      if (!junk_ && !trimmed(line_).empty()) junk_ = offset;
    }
  }
  // Reads a line, of which it keeps the beginning. False: the end.
  static Result<bool> read_line(ContentStream& stream, std::string& line) {
    line.clear();
    for (bool any = false;; any = true) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) return any;
      const std::size_t end = window.find('\n');
      const std::string_view part = window.substr(0, end);
      line.append(part.substr(0, kKeptOfLine - line.size()));
      stream.consume(part.size() + (end != window.npos));
      if (end != window.npos) return true;
    }
  }

  Result<void> read_record(ContentStream& stream, Cut& cut) {
    if (arc_) return read_block(stream, *arc_head(line_), cut);
    std::uint64_t left = kMaxWarcHead;
    std::string head;
    const std::size_t end = FROND_TRY(read_head(stream, left, head));
    if (end == head.npos) {
      cut.problem = left == 0 ? "a WARC head longer than 64 KiB" : "the file ends inside the head of the record";
      return {};
    }
    const std::optional<WarcHead> warc = warc_head(head);
    if (warc) return read_block(stream, *warc, cut);
    cut.problem = "a WARC record whose Content-Length is missing or no number";
    return {};
  }

  // Leaves the stream behind the block of a record, which begins there. Sets the cut's bytes to a WarcPage, or says why
  // there is none. If a record begins inside the block and none behind it, the length is wrong: the block ends there.
  // If it is compressed by itself, and the block goes on in what is, the record is bad.
  Result<void> read_block(ContentStream& stream, const WarcHead& head, Cut& cut) {
    held_.clear();
    last_ = "\n";  // behind the head
    page_.reset();
    std::uint64_t left = head.length;
    // A block that does not fit into memory is no page: a record that begins in it is one. So it is in what was read to
    // the end of a block whose length was wrong: the next lengths are wrong, too, or it would be read again and again.
    doubtful_ = left >= max_bytes_ || stream.offset() < wrong_until_;
    cut.skip_because = head.skip_because;
    if (head.block == WarcBlock::kHttp) FROND_TRY(read_response(stream, head, left, cut));
    if (head.block == WarcBlock::kPage)
      FROND_TRY(read_page(stream, head, media_type(head.content_type), {}, left, cut));
    while (!FROND_TRY(next_in_block(stream, left)).empty()) {
    }
    std::string_view next;  // the beginning of the next record, which was read with this one
    if (held_.empty() && left == 0) {
      next = std::string_view(last_).substr(last_.size() - FROND_TRY(begun_in_block(stream)));
    } else if (!held_.empty()) {
      next = std::string_view(held_).substr(std::min(find_record(), held_.size()));
      if (left == 0 && FROND_TRY(is_end(stream))) {
        // The length is right, or it is that of the next records, too.
        if (!next.empty() && stream.source().ends_stream(stream.offset() - next.size()))
          cut.problem = "a record whose Content-Length goes beyond its part of the compressed file";
        else
          next = {};
      }
    }
    if (next.empty()) {
      if (left > 0) cut.problem = "the file ends inside the record";
    } else {
      if (page_ && page_->as_sent)
        cut.bytes.resize(std::max(page_->head, cut.bytes.size() - std::min(next.size(), cut.bytes.size())));
      if (!held_.empty()) wrong_until_ = std::max(wrong_until_, stream.offset());
      stream.put_back(next);
      held_ = {};
    }
    if (page_ && cut.problem.empty()) tell_type(cut);
    return {};
  }

  // Appends to `head` up to and with the empty line that ends it, but at most `left` bytes. The place behind the line;
  // npos: there is none. `left` shrinks by what was read.
  Result<std::size_t> read_head(ContentStream& stream, std::uint64_t& left, std::string& head) {
    for (;;) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty() || left == 0) return head.npos;
      const std::size_t line = std::min(window.find('\n'), window.size() - 1) + 1;
      const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(line, left));
      const std::size_t from = head.rfind('\n') == head.npos ? 0 : head.rfind('\n') + 1;
      head.append(window.substr(0, taken));
      consume(stream, window.substr(0, taken));
      left -= taken;
      if (head.back() != '\n') continue;
      const std::string_view last = std::string_view(head).substr(from);
      if (last == "\n" || last == "\r\n") return head.size();
    }
  }

  // Consumes the part of the window that belongs to the block. Keeps what may belong to the next record instead.
  void consume(ContentStream& stream, std::string_view taken) {
    if (held_.empty()) {
      const std::size_t edge = std::min(taken.size(), beginning_.mark.size() - 1);
      last_.append(taken.substr(0, edge));
      if (const std::size_t mark = last_.find(beginning_.mark); mark != last_.npos) {
        held_.assign(last_, mark).append(taken.substr(edge));
      } else if (const std::size_t at = taken.find(beginning_.mark); at != taken.npos) {
        held_.assign(taken.substr(at));
      }
      if (taken.size() > edge) last_.assign(taken.substr(taken.size() - edge));
      if (last_.size() >= beginning_.mark.size()) last_.erase(0, last_.size() - (beginning_.mark.size() - 1));
    } else {
      held_.append(taken);
    }
    stream.consume(taken.size());
  }
  // Where in held_ the first record begins; npos: none does.
  std::size_t find_record() const {
    const std::string_view held = held_;
    for (std::size_t at = 0; (at = held.find(beginning_.mark, at)) != held.npos; ++at)
      if (beginning_.is_record(held.substr(at + beginning_.before, kMaxBeginning))) return at + beginning_.before;
    return held.npos;
  }
  // Whether nothing, or a record, is next.
  Result<bool> is_end(ContentStream& stream) const {
    const std::string_view next = without_spaces(FROND_TRY(stream.peek(kMaxBeginning)).substr(0, kMaxBeginning));
    return next.empty() || beginning_.is_record(next);
  }
  // How many bytes at the end of the block, which has no mark, are of a record that goes on behind it.
  Result<std::size_t> begun_in_block(ContentStream& stream) const {
    for (std::size_t part = beginning_.before + 1; part < beginning_.mark.size(); ++part) {
      if (!last_.ends_with(beginning_.mark.substr(0, part))) continue;
      const std::string_view begun = beginning_.mark.substr(beginning_.before, part - beginning_.before);
      const std::string_view rest = FROND_TRY(stream.peek(kMaxBeginning)).substr(0, kMaxBeginning);
      if (beginning_.is_record(std::string(begun).append(rest))) return begun.size();
    }
    return std::size_t{0};
  }
  // Consumes and gives what comes next of the block; empty: its end, or that of the file, or the next record.
  Result<std::string_view> next_in_block(ContentStream& stream, std::uint64_t& left) {
    if (left == 0) return std::string_view();
    if (doubtful_ && !held_.empty()) {
      if (find_record() != held_.npos) return std::string_view();
      held_.erase(0, held_.size() - std::min(held_.size(), kMaxBeginning));
    }
    const std::string_view window = FROND_TRY(stream.window());
    const std::uint64_t most = doubtful_ ? std::min<std::uint64_t>(left, kDoubtfulStep) : left;
    const std::string_view taken =
        window.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(window.size(), most)));
    consume(stream, taken);
    left -= taken.size();
    return taken;
  }
  // Says what the page of the cut is, or why it is skipped.
  void tell_type(Cut& cut) const {
    const PageType page = page_type(page_->named, std::string_view(cut.bytes).substr(page_->head, kSniffBytes));
    cut.skip_because = page.skip_because;
    if (page.text == TextType::kHtml) cut.bytes.front() = page_->xhtml ? kXhtmlMark : kHtmlMark;
  }
  Result<void> read_response(ContentStream& stream, const WarcHead& warc, std::uint64_t& left, Cut& cut) {
    const std::uint64_t in_block = left;
    std::string front;
    std::optional<HttpResponse> response;
    // More than one head, if there are interim responses.
    while (!response && front.size() < std::min<std::uint64_t>(in_block, kMaxWarcHead)) {
      std::uint64_t allowed = std::min<std::uint64_t>(left, kMaxWarcHead - front.size());
      const std::uint64_t before = allowed;
      const std::size_t end = FROND_TRY(read_head(stream, allowed, front));
      left -= before - allowed;
      if (end == front.npos) break;
      response = http_response(front);
    }
    if (!response) {
      cut.problem = "no HTTP response, or one whose head is longer than 64 KiB";
      return {};
    }
    if (response->status != 200 && response->status != 203) {
      cut.skip_because = SkipReason::kHttpStatus;
    } else if (!response->codings_known) {
      cut.skip_because = SkipReason::kCoding;
    } else {
      FROND_TRY(read_page(stream, warc, response->type, response->codings, left, cut));
    }
    return {};
  }
  Result<void> read_page(ContentStream& stream, const WarcHead& warc, const MediaType& type,
                         const std::vector<Coding>& codings, std::uint64_t& left, Cut& cut) {
    const PageType named = page_type(type.essence);
    cut.skip_because = named.skip_because;
    if (!cut.skip_because && !stream.hold_window(window_of(codings))) cut.skip_because = SkipReason::kCoding;
    if (cut.skip_because) return {};
    cut.bytes = warc_page_head({warc.id, warc.url, type.charset, TextType::kText, {}});
    const std::size_t head = cut.bytes.size();
    BodyDecoder decoder(codings, max_bytes_);
    for (bool more = true; more;) {
      const std::string_view taken = FROND_TRY(next_in_block(stream, left));
      more = !taken.empty() && decoder.feed(taken, cut.bytes);
    }
    decoder.finish(cut.bytes);
    if (decoder.too_long()) cut.problem = too_long_why_;
    if (!decoder.too_long() && decoder.damaged()) cut.problem = "a body whose compression is damaged";
    page_ = {head, named.text, is_xhtml(type.essence), codings.empty()};
    return {};
  }

  const bool arc_;
  // How a record of the archive begins, to find the next one inside a block that is said to be longer than it is.
  struct Beginning {
    std::string_view mark;   // what each record begins with: so that it is found quickly, no frequent characters
    std::size_t before = 0;  // bytes of it that are before the record: a line feed
    bool (*is_record)(std::string_view text);
  };
  const Beginning beginning_;
  std::string line_;  // the first of the record
  std::uint64_t records_ = 0, begin_ = 0;
  bool found_ = false;                 // the stream is behind line_
  std::optional<std::uint64_t> junk_;  // where something else began before it
  // Of the block at hand:
  struct Page {
    std::size_t head = 0;  // bytes of the cut before the content
    TextType named = TextType::kUnknown;
    bool xhtml = false;    // so its server calls it
    bool as_sent = false;  // the content is what was read of the block
  };
  std::optional<Page> page_;
  std::string last_;       // bytes before `held_`, if nothing is held: fewer than the mark has
  std::string held_;       // what was read of the block from the first mark on; if it is doubtful, the end of that
  bool doubtful_ = false;  // the block ends where a record begins in it
  std::uint64_t wrong_until_ = 0;  // the place in the stream up to which blocks were read whose lengths are wrong
};

}  // namespace

std::unique_ptr<RecordCutter> warc_cutter(std::size_t max_bytes) {
  return std::make_unique<ArchiveCutter>(/*arc=*/false, max_bytes);
}
std::unique_ptr<RecordCutter> arc_cutter(std::size_t max_bytes) {
  return std::make_unique<ArchiveCutter>(/*arc=*/true, max_bytes);
}

}  // namespace frond::indexer::ingest
