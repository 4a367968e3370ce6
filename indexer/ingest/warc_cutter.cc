#include "indexer/ingest/warc_cutter.h"

#include <algorithm>
#include <array>

#include "indexer/ingest/content_coding.h"
#include "indexer/ingest/header_fields.h"
#include "indexer/ingest/http_response.h"
#include "indexer/ingest/input_limits.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/source_format.h"
#include "indexer/ingest/warc_record.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kKeptOfLine = 64;  // enough for a version
constexpr char kHtmlMark = 'h', kTextMark = 't';

class WarcCutter final : public RecordCutter {
 public:
  explicit WarcCutter(std::size_t max_bytes) : max_bytes_(max_bytes), too_long_why_(too_long(max_bytes)) {}
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    Cut cut;
    if (!FROND_TRY(find_begin(stream, cut))) return std::optional<Cut>();
    cut.number = ++records_;
    if (cut.problem.empty()) FROND_TRY(read_record(stream, cut));
    if (!cut.problem.empty() || cut.skip_because) cut.bytes = {};
    return std::optional<Cut>(std::move(cut));
  }

 private:
  // Leaves the stream behind the version of the next record. What stands before it other than empty lines is a bad
  // record. False: the end.
  Result<bool> find_begin(ContentStream& stream, Cut& cut) {
    if (!found_version_) FROND_TRY(find_version(stream));
    if (junk_) {
      cut.problem = "what is here is no WARC record";
      cut.offset = *junk_;
      junk_.reset();
      return true;
    }
    cut.offset = begin_;
    return std::exchange(found_version_, false);
  }
  Result<void> find_version(ContentStream& stream) {
    std::string line;
    for (;;) {
      const std::uint64_t offset = stream.offset();
      if (!FROND_TRY(read_line(stream, line))) return {};
      if (is_warc_version(line)) {
        begin_ = offset;
        found_version_ = true;
        return {};
      }
      if (!junk_ && !trimmed(line).empty()) junk_ = offset;
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
    std::uint64_t left = kMaxWarcHead;
    std::string head;
    const std::size_t end = FROND_TRY(read_head(stream, left, head));
    if (end == head.npos) {
      cut.problem = left == 0 ? "a WARC head longer than 64 KiB" : "the file ends inside the head of the record";
      return {};
    }
    const std::optional<WarcHead> warc = warc_head(head);
    if (!warc) {
      cut.problem = "a WARC record whose Content-Length is missing or no number";
      return {};
    }
    left = warc->length;
    cut.skip_because = warc->skip_because;
    if (warc->block == WarcBlock::kHttp) FROND_TRY(read_response(stream, *warc, left, cut));
    if (warc->block == WarcBlock::kPage) {
      const MediaType type = media_type(warc->content_type);
      FROND_TRY(read_page(stream, *warc, type, {}, left, cut));
    }
    FROND_TRY(skip(stream, left));
    if (left > 0) cut.problem = "the file ends inside the record";
    return {};
  }

  // Appends to `head` up to and with the empty line that ends it, but at most `left` bytes. The place behind the line;
  // npos: there is none. `left` shrinks by what was read.
  static Result<std::size_t> read_head(ContentStream& stream, std::uint64_t& left, std::string& head) {
    for (;;) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty() || left == 0) return head.npos;
      const std::size_t line = std::min(window.find('\n'), window.size() - 1) + 1;
      const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(line, left));
      const std::size_t from = head.rfind('\n') == head.npos ? 0 : head.rfind('\n') + 1;
      head.append(window.substr(0, taken));
      stream.consume(taken);
      left -= taken;
      if (head.back() != '\n') continue;
      const std::string_view last = std::string_view(head).substr(from);
      if (last == "\n" || last == "\r\n") return head.size();
    }
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
    for (bool more = true; more && left > 0;) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) break;
      const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(window.size(), left));
      more = decoder.feed(window.substr(0, taken), cut.bytes);
      stream.consume(taken);
      left -= taken;
    }
    decoder.finish(cut.bytes);
    const std::string_view content = std::string_view(cut.bytes).substr(head);
    if (decoder.too_long()) {
      cut.problem = too_long_why_;
    } else if (decoder.damaged()) {
      cut.problem = "a body whose compression is damaged";
    } else {
      const PageType page = page_type(named.text, content.substr(0, kSniffBytes));
      cut.skip_because = page.skip_because;
      if (page.text == TextType::kHtml) cut.bytes.front() = kHtmlMark;
    }
    return {};
  }

  static Result<void> skip(ContentStream& stream, std::uint64_t& left) {
    while (left > 0) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) break;
      const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(window.size(), left));
      stream.consume(taken);
      left -= taken;
    }
    return {};
  }

  std::size_t max_bytes_;
  std::string too_long_why_;
  std::uint64_t records_ = 0, begin_ = 0;
  bool found_version_ = false;         // the stream is behind a version
  std::optional<std::uint64_t> junk_;  // where something else began before it
};

}  // namespace

std::unique_ptr<RecordCutter> warc_cutter(std::size_t max_bytes) { return std::make_unique<WarcCutter>(max_bytes); }

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
  if (bytes.empty() || (bytes.front() != kHtmlMark && bytes.front() != kTextMark)) return std::nullopt;
  page.type = bytes.front() == kHtmlMark ? TextType::kHtml : TextType::kText;
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
