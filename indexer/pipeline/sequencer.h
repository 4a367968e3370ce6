#pragma once
// Numbers documents in input order, so that the index does not depend on the number of parser threads. Bad records and
// duplicates get no number. All batches pass through this one thread, so it does nothing that others can do: stored
// fields are written by Spools.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/log.h"
#include "common/base/result.h"
#include "indexer/ingest/files/record_reader.h"
#include "indexer/parse/parsed_batch.h"
#include "indexer/pipeline/batch.h"
#include "indexer/pipeline/field_sample.h"
#include "indexer/pipeline/ids.h"
#include "indexer/pipeline/inverted_documents.h"

namespace frond::indexer::pipeline {

inline constexpr std::uint64_t kReportedRecords = 100;

// Counts records that gave no document, and documents whose id had come before. The first hundred of each kind are
// logged with file, record, byte offset and reason. Also counts documents that are not as they were given, with the
// first of them as examples.
// One thread.
class BadRecordLog {
 public:
  BadRecordLog(Logger& logger, std::uint64_t max_bad_records) : logger_(logger), max_bad_records_(max_bad_records) {}
  // Goes on counting from what another log counted; what that one reported counts as reported.
  void go_on_from(const RefusedRecords& counted) { counts_ = counted; }
  // kInvalid: there are more than max_bad_records.
  Result<void> bad(const ingest::BadRecord& record);
  // Counts so many bad records, of which no details are known, before the next call of bad().
  void left_out(std::uint64_t count) { counts_.bad_records += count; }
  // Duplicates are not bad records: their document is in the index.
  void duplicate(const ingest::RecordPlace& record, std::string_view id);
  void altered(const ingest::RecordPlace& record, const parse::AlteredDocument& how);
  // Logs how many were not logged one by one.
  void finish();
  const RefusedRecords& counts() const { return counts_; }

 private:
  Logger& logger_;
  std::uint64_t max_bad_records_;
  RefusedRecords counts_;
};

// Document n of the collection is docID n / P of partition n mod P. One thread.
class Sequencer {
 public:
  // What another sequencer had seen before.
  struct Seen {
    IdSet ids;
    std::uint64_t documents = 0, tokens = 0;
    FieldSample sample;
  };
  // id_log: none: ids are not logged.
  Sequencer(std::uint32_t partitions, std::optional<IdLog> id_log, Seen seen, std::uint64_t max_id_bytes,
            BadRecordLog& log);
  // Takes batches in input order. Sets batch.numbers and batch.has_duplicates, logs what was refused. kInvalid: too
  // many bad records, more ids than fit into the memory, or a full partition; kUnavailable: the disk.
  Result<void> number(Batch& batch);
  // Writes the log's buffer. More batches may follow.
  Result<void> flush();
  std::uint64_t documents() const { return next_; }
  std::uint64_t tokens() const { return tokens_; }
  std::uint64_t id_bytes() const { return ids_.bytes(); }
  const FieldSample& sample() const { return sample_; }
  std::string ids_xxh3() const { return id_log_ ? id_log_->xxh3() : std::string(); }

 private:
  void look_at_ids(Batch& batch);
  void look_at_fields(const Batch& batch);

  const std::uint32_t partitions_;
  FieldSample sample_;
  IdSet ids_;
  std::optional<IdLog> id_log_;
  std::vector<parse::IdHash> new_ids_;  // of a batch
  std::uint64_t max_id_bytes_;
  BadRecordLog& log_;
  invert::DocumentNumber next_;
  std::uint64_t tokens_;
};

}  // namespace frond::indexer::pipeline
