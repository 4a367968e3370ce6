#pragma once
// Text whose characters have two or four bytes: with a byte order mark, or told by where its NULs stand.
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

// "UTF-16LE", "UTF-16BE", "UTF-32LE" or "UTF-32BE"; empty: none of these. Looks at the first 4 KiB. Without a mark: the
// NULs stand at one side of the characters, there are no control characters and no broken pairs, and the other bytes
// don't read as text of one byte a character. So a few NULs in other text don't make it UTF-16.
std::string_view wide_encoding(std::string_view bytes);
// Of the byte order mark that `bytes` begin with; 0: none.
std::size_t byte_order_mark(std::string_view bytes);

// A beginning of a text as UTF-8 where it is wide, and without NULs and mark: something to look at. Of other encodings
// it is as it stands. Valid as long as `head` and `storage` are.
std::string_view plain_beginning(std::string_view head, std::string& storage);

}  // namespace frond::indexer::ingest
