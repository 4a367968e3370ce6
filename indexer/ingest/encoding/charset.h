#pragma once
// Text in any encoding to UTF-8.
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/encoding/encoding.h"
#include "indexer/ingest/records/document.h"
#include "indexer/ingest/records/raw_record.h"

namespace frond::indexer::ingest {

// Takes the first encoding that applies:
// 1. the one of a byte order mark; UTF-16 or UTF-32, if the NULs lie so;
// 2. `declared`, the label in the header or markup, as browsers read it. Not if that gives errors, but the bytes are
//    valid UTF-8; nor if it has one byte a character, and the bytes are valid UTF-8 with more than a few characters;
// 3. UTF-8, if the bytes are valid UTF-8 or most of what is beyond ASCII is; ISO-2022-JP, if they have its escapes;
// 4. what uchardet detects; windows-1252.
// Bytes without a meaning become U+FFFD; NULs are dropped. kInvalid: longer than `max_bytes` in UTF-8.
Result<std::string> to_utf8(std::string_view bytes, std::string_view declared = {},
                            std::size_t max_bytes = kMaxDocumentBytes);

// The encoding of a file whose format names none (SourceFormat::one_encoding), by its beginning. `whole`: it is not
// cut. Null: UTF-8, by its mark or as in 3; else the one of 4.
const Encoding* encoding_of_file(std::string_view beginning, bool whole);

// The text of a record of such a file as UTF-8: itself, or else in `storage`, with U+FFFD for bytes without a meaning.
// Valid as long as both arguments. kInvalid: as to_utf8().
Result<std::string_view> utf8_of_record(const RawRecord& record, std::string& storage);

// The encoding that an HTML page declares, for to_utf8(): `http`, the one in its server's header, if that is a label;
// or else the one in the page's first meta element with a label, or in its XML declaration, as the HTML standard's
// prescan reads them (13.2.3.2), in 16 KiB instead of one. Empty: none.
std::string_view charset_of_html(std::string_view bytes, std::string_view http = {});

}  // namespace frond::indexer::ingest
