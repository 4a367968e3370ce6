#pragma once
// Counts records that gave no document, and documents whose id had come before. The first hundred of each kind are
// logged with file, record, byte offset and reason. Also counts documents that are not as they were given, with the
// first of them as examples.
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/log.h"
#include "common/base/result.h"
#include "indexer/ingest/files/record_reader.h"
#include "indexer/parse/parsed_batch.h"
#include "indexer/pipeline/inverted_documents.h"

namespace frond::indexer::pipeline {

inline constexpr std::uint64_t kReportedRecords = 100;

// One thread.
class BadRecordLog {
 public:
  BadRecordLog(Logger& logger, std::uint64_t max_bad_records) : logger_(logger), max_bad_records_(max_bad_records) {}
  // Goes on counting from what another log counted; what that one reported counts as reported.
  void go_on_from(const InvertedDocuments& counted);
  // kInvalid: there are more than max_bad_records.
  Result<void> bad(const ingest::BadRecord& record);
  // Counts so many bad records, of which no details are known, before the next call of bad().
  void left_out(std::uint64_t count) { bad_ += count; }
  // Duplicates are not bad records: their document is in the index.
  void duplicate(const ingest::RecordPlace& record, std::string_view id);
  void altered(const ingest::RecordPlace& record, const parse::AlteredDocument& how);
  // Logs how many were not logged one by one.
  void finish();
  std::uint64_t bad_records() const { return bad_; }
  std::uint64_t duplicates() const { return duplicates_; }
  const std::string& last_bad() const { return last_bad_; }  // as to_string(); empty: none yet
  const ingest::Tally& titles_cut() const { return titles_cut_; }
  const ingest::Tally& urls_dropped() const { return urls_dropped_; }
  const ingest::Tally& not_utf8() const { return not_utf8_; }

 private:
  Logger& logger_;
  std::uint64_t max_bad_records_;
  std::uint64_t bad_ = 0, duplicates_ = 0;
  std::string last_bad_;
  ingest::Tally titles_cut_, urls_dropped_, not_utf8_;
};

}  // namespace frond::indexer::pipeline
