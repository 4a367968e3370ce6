#pragma once
// Text in any encoding to UTF-8.
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/document.h"

namespace frond::indexer::ingest {

// Takes the first encoding that applies: the one of a byte order mark; UTF-16 or UTF-32, if the NULs lie so; UTF-8, if
// the bytes are valid UTF-8; `declared`, the name in the header or markup (may be empty); what uchardet detects;
// windows-1252. Bytes without a meaning become U+FFFD; NULs are dropped. Only the encodings of a fixed list are
// converted, since some converters of the C library had security holes. kInvalid: longer than `max_bytes` in UTF-8.
Result<std::string> to_utf8(std::string_view bytes, std::string_view declared = {},
                            std::size_t max_bytes = kMaxDocumentBytes);

// The encoding that an HTML page names in its first kilobyte, in a meta element or else in an XML declaration. Empty:
// it names none.
std::string_view charset_of_html(std::string_view bytes);

}  // namespace frond::indexer::ingest
