#pragma once
// Numbers documents in input order, so that the index does not depend on the number of parser threads. Bad records and
// duplicates get no number. All batches pass through this one thread, so it does nothing that others can do: stored
// fields are written by Spools.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "indexer/pipeline/bad_record_log.h"
#include "indexer/pipeline/batch.h"
#include "indexer/pipeline/field_sample.h"
#include "indexer/pipeline/id_log.h"
#include "indexer/pipeline/id_set.h"

namespace frond::indexer::pipeline {

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
