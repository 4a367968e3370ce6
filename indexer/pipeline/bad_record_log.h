#pragma once
// Records that gave no document, and documents whose id was there already: each counted, the first hundred of each kind
// reported as a log line with file, record, byte offset and reason. Documents with a field that was too long are
// counted, and the first of them named.
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/log.h"
#include "common/base/result.h"
#include "indexer/ingest/record_reader.h"

namespace frond::indexer::pipeline {

inline constexpr std::uint64_t kReportedRecords = 100;

// One thread.
class BadRecordLog {
 public:
  BadRecordLog(Logger& logger, std::uint64_t max_bad_records) : logger_(logger), max_bad_records_(max_bad_records) {}
  // kInvalid: that was one too many.
  Result<void> bad(const ingest::BadRecord& record);
  // So many before the next that is told to bad(), of which nothing else is known.
  void left_out(std::uint64_t count) { bad_ += count; }
  // Duplicates do not count as bad records: the document is there.
  void duplicate(const ingest::RawRecord& record, std::string_view id);
  void shortened(const ingest::RawRecord& record, bool title_cut, bool url_dropped);
  // Says how many were not reported one by one.
  void finish();
  std::uint64_t bad_records() const { return bad_; }
  std::uint64_t duplicates() const { return duplicates_; }
  const std::string& last_bad() const { return last_bad_; }  // as to_string(); empty: there was none
  const ingest::Tally& titles_cut() const { return titles_cut_; }
  const ingest::Tally& urls_dropped() const { return urls_dropped_; }

 private:
  Logger& logger_;
  std::uint64_t max_bad_records_;
  std::uint64_t bad_ = 0, duplicates_ = 0;
  std::string last_bad_;
  ingest::Tally titles_cut_, urls_dropped_;
};

}  // namespace frond::indexer::pipeline
