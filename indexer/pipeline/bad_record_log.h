#pragma once
// Records that gave no document, and documents whose id was there already: each counted, the first hundred of each kind
// reported as a log line with file, record, byte offset and reason.
#include <cstdint>
#include <string_view>

#include "common/base/log.h"
#include "common/base/result.h"
#include "indexer/ingest/record_reader.h"

namespace frond::indexer {

inline constexpr std::uint64_t kReportedRecords = 100;

// One thread.
class BadRecordLog {
 public:
  BadRecordLog(Logger& logger, std::uint64_t max_bad_records) : logger_(logger), max_bad_records_(max_bad_records) {}
  // kInvalid: that was one too many.
  Result<void> bad(const BadRecord& record);
  // Duplicates do not count as bad records: the document is there.
  void duplicate(const RawRecord& record, std::string_view id);
  // Says how many were not reported one by one.
  void finish();
  std::uint64_t bad_records() const { return bad_; }
  std::uint64_t duplicates() const { return duplicates_; }

 private:
  Logger& logger_;
  std::uint64_t max_bad_records_;
  std::uint64_t bad_ = 0, duplicates_ = 0;
};

}  // namespace frond::indexer
