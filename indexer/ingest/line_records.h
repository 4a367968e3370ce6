#pragma once
// Many lines that the reader gave as one RawRecord, one by one: each line that is not blank is a record.
#include <cstdint>
#include <string_view>

#include "indexer/ingest/raw_record.h"

namespace frond::indexer::ingest {

// Whether a line, without its end, has nothing but spaces and tabs, and is no record.
inline bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

// One thread. Gives the records that line_cutter() gives one by one.
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
