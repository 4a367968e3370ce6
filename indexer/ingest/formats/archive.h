#pragma once
// The heads of records of web archives: WARC (ISO 28500: WARC 1.0 and 1.1; 0.17 and 0.18, of older crawls, are read as
// 1.0), and ARC, the Internet Archive's and Common Crawl's format before it (versions 1 and 2).
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "indexer/ingest/files/skipped.h"
#include "indexer/ingest/http/content_coding.h"
#include "indexer/ingest/http/http_response.h"
#include "indexer/ingest/records/record_cutter.h"

namespace frond::indexer::ingest {

inline constexpr std::string_view kWarcMagic = "WARC/";
// Whether a line is the first of a record: "WARC/1.0".
bool is_warc_version(std::string_view line);

enum class WarcBlock {
  kHttp,     // an HTTP response
  kPage,     // a page, of content_type
  kSkipped,  // no page, because of skip_because
};

struct WarcHead {
  std::uint64_t length = 0;  // bytes of the block behind the head
  WarcBlock block = WarcBlock::kSkipped;
  std::optional<SkipReason> skip_because;
  std::string id;   // WARC-TREC-ID, or else WARC-Record-ID without its brackets; of ARC, made of date and URL
  std::string url;  // the target's, without brackets
  std::string content_type;
};

// `lines`: the fields, without the version. No value: Content-Length is missing, or no number.
std::optional<WarcHead> warc_head(std::string_view lines);

// A line that is the head of an ARC record: URL, address, date, media type, …, length. No value: it is none.
std::optional<WarcHead> arc_head(std::string_view line);

// What a page's record begins with.
inline constexpr char kHtmlMark = 'h', kXhtmlMark = 'x', kTextMark = 't';
// The page of a record, decoded, with what the head says of it.
struct WarcPage {
  std::string_view id, url, charset;
  TextType type = TextType::kUnknown;  // kHtml or kText
  std::string_view content;
  bool xhtml = false;  // its server calls it XHTML
};
// The part before the content: lines of id, URL, charset and type.
std::string warc_page_head(const WarcPage& page);
// No value: `bytes` are no page.
std::optional<WarcPage> warc_page(std::string_view bytes);

// Numbers records of all types from 1. A record whose head is broken is a bad record; the next one begins with the next
// line that is a version, "WARC/1.0". A head has at most 64 KiB, so has that of an HTTP response. What is
// in `bytes` of a cut is a WarcPage.
std::unique_ptr<RecordCutter> warc_cutter(std::size_t max_bytes);
// The same of ARC files, where a record begins with a line that is an arc_head().
std::unique_ptr<RecordCutter> arc_cutter(std::size_t max_bytes);

}  // namespace frond::indexer::ingest
