#pragma once
// UTF-16 and UTF-32, recognised by a byte order mark or by the places of NULs.
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

// "UTF-16LE", "UTF-16BE", "UTF-32LE" or "UTF-32BE"; empty: none of these. Looks at the first 4 KiB. Text without a mark
// is wide if the NULs are on one side of the characters, there are no control characters and no broken pairs, and the
// other bytes alone are no text: a few NULs do not make other text UTF-16.
std::string_view wide_encoding(std::string_view bytes);
// The length of the byte order mark at the beginning of `bytes`; 0: there is none.
std::size_t byte_order_mark(std::string_view bytes);

// A beginning of a text, for recognising what it is: wide text as UTF-8, without NULs and byte order mark; text of
// other encodings unchanged. Valid as long as `head` and `storage` are.
std::string_view plain_beginning(std::string_view head, std::string& storage);

}  // namespace frond::indexer::ingest
