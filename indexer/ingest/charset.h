#pragma once
// Text in whatever encoding, to UTF-8.
#include <string>
#include <string_view>

namespace frond::indexer {

// A byte order mark decides; then whether it is valid UTF-8; then `declared` (the name its header or markup gives, may
// be empty); then what it looks like; else windows-1252. Bytes without a meaning become U+FFFD. Only encodings of a
// fixed list are converted, as some of the C library's converters had holes.
std::string to_utf8(std::string_view bytes, std::string_view declared = {});

// The encoding that the first kilobyte of an HTML page names in a meta element; empty when it doesn't.
std::string_view charset_of_html(std::string_view bytes);

}  // namespace frond::indexer
