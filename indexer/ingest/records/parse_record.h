#pragma once
// A record to a document.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/records/document.h"
#include "indexer/ingest/records/raw_record.h"

namespace frond::indexer::ingest {

struct ParseOptions {
  bool make_ids = false;     // a record without an id gets content_id()
  bool store_bodies = true;  // false: bodies are indexed, not stored
  // The field that holds a document's static prior, a number from 0 to scoring::kMaxPriorValue; a record without it has
  // none. Only JSON has such fields. Empty: no document has a prior.
  std::string prior_field = {};
  std::shared_ptr<const FieldNames> names = nullptr;  // null: the usual ones
  // What documents have beside their texts; null: nothing. `coerce`: FieldReading's.
  std::shared_ptr<const schema::Schema> schema = nullptr;
  bool coerce = false;
};

// Any thread. kInvalid: the record is malformed; the message is a BadRecord's reason (without file and number).
Result<Document> parse_record(const RawRecord& record, const ParseOptions& options = {});

// How much memory the parsing of a record takes, estimated before it is parsed: the memory of a build is limited, and
// the tree of an HTML page, or JSON of many small values, takes many times the record's size.
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

// Whether a line, without its end, has nothing but spaces and tabs, and is no record.
inline bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

// Many lines that the reader gave as one RawRecord, one by one: each line that is not blank is a record, as those of
// line_cutter() are. One thread.
class LineRecords {
 public:
  // `lines`, whose `lines` is not 0, must live as long.
  explicit LineRecords(const RawRecord& lines);
  // The next record, a line of `lines`, valid until the next call, with parse_bytes and tree_bytes set; null at the
  // end.
  RawRecord* next();
  // Where that record is among the lines.
  LinePlace place() const { return place_; }

 private:
  const RawRecord& lines_;
  std::string_view rest_;
  const char* readable_end_;  // of what `lines` has allocated
  LinePlace place_, next_;
  RawRecord record_;
};

}  // namespace frond::indexer::ingest
