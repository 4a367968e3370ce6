#pragma once
// How much memory the parsing of a record takes, estimated before it is parsed: the memory of a build is limited, and
// the tree of an HTML page, or JSON of many small values, takes many times the record's size.
#include <cstdint>
#include <string_view>

#include "indexer/ingest/raw_record.h"

namespace frond::indexer::ingest {

struct ParseCost {
  // The most bytes held at any time: the record, what parsing makes of it, the document, its tokens and stored fields.
  std::uint64_t bytes = 0;
  // The part of them for the elements of a page. Ordinary pages take half of it; html_to_text() refuses a page that
  // takes more.
  std::uint64_t tree_bytes = 0;
};
// Any thread. Looks at every byte of records that may be expensive, which is cheap compared with parsing them.
ParseCost parse_cost(const RawRecord& record);

// For SourceFormat::cost:
// The analysis and compression of `bytes` bytes of UTF-8 text.
std::uint64_t text_cost(std::uint64_t bytes);
// Text in any encoding, converted and then analyzed; `page`: parsed as HTML, too.
ParseCost file_cost(std::string_view bytes, bool page);
// What a text takes beside text_cost() where it is not cut into tokens but copied in its form (common/text/cut_form.h),
// in which a character of three bytes may have 18.
std::uint64_t form_cost(std::string_view text);
// How often `wanted` is in `bytes`.
std::uint64_t count_of(std::string_view bytes, char wanted);
// The same of JSON's separators: , : { } [ ]
std::uint64_t separators_of(std::string_view json);

}  // namespace frond::indexer::ingest
