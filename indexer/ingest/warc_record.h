#pragma once
// The heads of records of web archives: WARC (ISO 28500: WARC 1.0 and 1.1; 0.17 and 0.18, of older crawls, are read as
// 1.0), and ARC, the Internet Archive's and Common Crawl's format before it (versions 1 and 2).
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "indexer/ingest/skipped.h"

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

}  // namespace frond::indexer::ingest
