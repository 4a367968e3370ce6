#include "indexer/ingest/archive_block.h"

#include <algorithm>
#include <array>
#include <utility>

#include "indexer/ingest/content_coding.h"
#include "indexer/ingest/http_response.h"
#include "indexer/ingest/input_limits.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/source_format.h"

namespace frond::indexer::ingest {
namespace {

constexpr char kHtmlMark = 'h', kXhtmlMark = 'x', kTextMark = 't';
constexpr std::size_t kMaxBeginning = 4 << 10;  // of a record, that is looked at to tell whether it is one
constexpr std::size_t kDoubtfulStep = 16 << 10;

}  // namespace

ArchiveBlocks::ArchiveBlocks(Beginning beginning, std::size_t max_bytes)
    : beginning_(beginning), max_bytes_(max_bytes), too_long_why_(too_long(max_bytes)) {}

// Consumes the part of the window that belongs to the block. Keeps what may belong to the next record instead.
void ArchiveBlocks::consume(ContentStream& stream, std::string_view taken) {
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
std::size_t ArchiveBlocks::find_record() const {
  const std::string_view held = held_;
  for (std::size_t at = 0; (at = held.find(beginning_.mark, at)) != held.npos; ++at)
    if (beginning_.is_record(held.substr(at + beginning_.before, kMaxBeginning))) return at + beginning_.before;
  return held.npos;
}

// Whether nothing, or a record, is next.
Result<bool> ArchiveBlocks::is_end(ContentStream& stream) const {
  const std::string_view next = without_spaces(FROND_TRY(stream.peek(kMaxBeginning)).substr(0, kMaxBeginning));
  return next.empty() || beginning_.is_record(next);
}

// How many bytes at the end of the block, which has no mark, are of a record that goes on behind it.
Result<std::size_t> ArchiveBlocks::begun_in_block(ContentStream& stream) const {
  for (std::size_t part = beginning_.before + 1; part < beginning_.mark.size(); ++part) {
    if (!last_.ends_with(beginning_.mark.substr(0, part))) continue;
    const std::string_view begun = beginning_.mark.substr(beginning_.before, part - beginning_.before);
    const std::string_view rest = FROND_TRY(stream.peek(kMaxBeginning)).substr(0, kMaxBeginning);
    if (beginning_.is_record(std::string(begun).append(rest))) return begun.size();
  }
  return std::size_t{0};
}

Result<void> ArchiveBlocks::read(ContentStream& stream, const WarcHead& head, Cut& cut) {
  held_.clear();
  last_ = "\n";  // behind the head
  page_.reset();
  std::uint64_t left = head.length;
  // A block that does not fit into memory is no page: a record that begins in it is one. So it is in what was read to
  // the end of a block whose length was wrong: the next lengths are wrong, too, or it would be read again and again.
  doubtful_ = left >= max_bytes_ || stream.offset() < wrong_until_;
  cut.skip_because = head.skip_because;
  if (head.block == WarcBlock::kHttp) FROND_TRY(read_response(stream, head, left, cut));
  if (head.block == WarcBlock::kPage) FROND_TRY(read_page(stream, head, media_type(head.content_type), {}, left, cut));
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

// Consumes and gives what comes next of the block; empty: its end, or that of the file, or the next record.
Result<std::string_view> ArchiveBlocks::next_in_block(ContentStream& stream, std::uint64_t& left) {
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
void ArchiveBlocks::tell_type(Cut& cut) const {
  const PageType page = page_type(page_->named, std::string_view(cut.bytes).substr(page_->head, kSniffBytes));
  cut.skip_because = page.skip_because;
  if (page.text == TextType::kHtml) cut.bytes.front() = page_->xhtml ? kXhtmlMark : kHtmlMark;
}

Result<std::size_t> ArchiveBlocks::read_head(ContentStream& stream, std::uint64_t& left, std::string& head) {
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

Result<void> ArchiveBlocks::read_response(ContentStream& stream, const WarcHead& warc, std::uint64_t& left, Cut& cut) {
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

Result<void> ArchiveBlocks::read_page(ContentStream& stream, const WarcHead& warc, const MediaType& type,
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

std::string warc_page_head(const WarcPage& page) {
  std::string head(1, page.type == TextType::kHtml ? kHtmlMark : kTextMark);
  for (const std::string_view line : {std::string_view(), page.id, page.url, page.charset}) {
    head.append(line);
    head.push_back('\n');
  }
  return head;
}

std::optional<WarcPage> warc_page(std::string_view bytes) {
  WarcPage page;
  const char mark = bytes.empty() ? '\0' : bytes.front();
  if (mark != kHtmlMark && mark != kXhtmlMark && mark != kTextMark) return std::nullopt;
  page.type = mark == kTextMark ? TextType::kText : TextType::kHtml;
  page.xhtml = mark == kXhtmlMark;
  std::array<std::string_view, 4> lines;
  for (std::string_view& line : lines) {
    const std::size_t end = bytes.find('\n');
    if (end == bytes.npos) return std::nullopt;
    line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
  }
  page.id = lines[1];
  page.url = lines[2];
  page.charset = lines[3];
  page.content = bytes;
  return page;
}

}  // namespace frond::indexer::ingest
