#pragma once
// Text in whatever encoding, to UTF-8.
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/document.h"

namespace frond::indexer::ingest {

// A byte order mark decides; then where NULs stand (UTF-16 and UTF-32 without a mark); then whether it is valid UTF-8;
// then `declared` (the name its header or markup gives, may be empty); then what it looks like; else windows-1252.
// Bytes without a meaning become U+FFFD, and NULs go. Only encodings of a fixed list are converted, as some of the C
// library's converters had holes. kInvalid: longer than `max_bytes` in UTF-8.
Result<std::string> to_utf8(std::string_view bytes, std::string_view declared = {},
                            std::size_t max_bytes = kMaxDocumentBytes);

// The encoding that the first kilobyte of an HTML page names in a meta element, or else in an XML declaration; empty
// when it doesn't.
std::string_view charset_of_html(std::string_view bytes);

}  // namespace frond::indexer::ingest
