#pragma once
// One record as it stands in its file, and records that gave no document.
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace frond::indexer::ingest {

struct CsvColumns;
struct Encoding;
struct WikiSite;
struct SourceFormat;

inline constexpr std::size_t kMaxTreeBytes = ~std::size_t{0};  // no limit beyond the one of ordinary pages

// Cut from its file, not yet parsed: a record, or consecutive lines that are a record each (LineRecords).
struct RawRecord {
  const SourceFormat* format = nullptr;  // set for every record that a reader gives
  std::string file;                      // the path, for messages
  std::string name;                      // below the input folder: the id of a whole file; of other formats empty
  std::uint64_t number = 0;              // from 1: the line (jsonl, tsv), row (csv), or record of the file
  std::uint64_t offset = 0;              // of the first byte, in the decompressed file
  std::string bytes;                     // without the line's end
  std::shared_ptr<const CsvColumns> columns = nullptr;  // CSV only
  std::shared_ptr<const WikiSite> site = nullptr;       // MediaWiki only
  const Encoding* encoding = nullptr;                   // of the file, if its format has one_encoding; null: UTF-8
  std::uint64_t parse_bytes = 0;                        // parse_cost(), if the reader's caller has set it
  std::uint64_t tree_bytes = kMaxTreeBytes;             // the part of it for the elements of an HTML page
  const std::stop_token* stop = nullptr;                // ends the parsing of a page; outlives the parsing
  std::uint32_t lines = 0;  // not 0: `bytes`, but for the first `front`, are so many whole lines, with their ends
  std::size_t front = 0;    // of `bytes`, that are not of this record
  // Set for a line of another record, which outlives this: then `bytes` is empty.
  std::string_view line = {};
  std::size_t line_slack = 0;  // slack() of the line

  std::string_view text() const { return line.data() != nullptr ? line : std::string_view(bytes); }
  // How many bytes behind text() may be read, whatever they are.
  std::size_t slack() const { return line.data() != nullptr ? line_slack : bytes.capacity() - bytes.size(); }
};

// Where a line is in a RawRecord that has many; of one record, zeros.
struct LinePlace {
  std::uint32_t line = 0, begin = 0;  // lines and bytes before it
};

// Where a record is in its file, for messages. Valid as long as the RawRecord.
struct RecordPlace {
  std::string_view file;
  std::uint64_t number = 0, offset = 0;  // as RawRecord's
};
inline RecordPlace place_of(const RawRecord& record, LinePlace line = {}) {
  return {record.file, record.number + line.line, record.offset + line.begin};
}

// A record, or a whole file, that gave no document.
struct BadRecord {
  std::string file;
  std::uint64_t number = 0;  // 0: the file as a whole
  std::uint64_t offset = 0;
  std::string reason;
};
// "corpus.jsonl.gz: record 17 at byte 4711: no id"
std::string to_string(const BadRecord& bad);
// What to report for a record that parse_record() refused with `error`.
BadRecord bad_record(const RawRecord& record, const Error& error);

}  // namespace frond::indexer::ingest
