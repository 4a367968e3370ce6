#pragma once
// WARC files to pages.
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "indexer/ingest/media_type.h"
#include "indexer/ingest/record_cutter.h"

namespace frond::indexer::ingest {

// Numbers records of all types from 1. A record whose head is broken is a bad record; the next one begins with the next
// line that is a version, "WARC/1.0". A head has at most kMaxWarcHead bytes, so has that of an HTTP response. What is
// in `bytes` of a cut is a WarcPage.
inline constexpr std::size_t kMaxWarcHead = 64 << 10;
std::unique_ptr<RecordCutter> warc_cutter(std::size_t max_bytes);

// The page of a record, decoded, with what the head says of it.
struct WarcPage {
  std::string_view id, url, charset;
  TextType type = TextType::kUnknown;  // kHtml or kText
  std::string_view content;
};
// The part before the content: lines of id, URL, charset and type.
std::string warc_page_head(const WarcPage& page);
// No value: `bytes` are no page.
std::optional<WarcPage> warc_page(std::string_view bytes);

}  // namespace frond::indexer::ingest
