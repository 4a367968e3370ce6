#pragma once
// Numbers documents in input order, so that the index does not depend on the number of parser threads. Bad records and
// duplicates get no number. Deals the stored fields to the spools of the partitions.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "indexer/pipeline/bad_record_log.h"
#include "indexer/pipeline/batch.h"
#include "indexer/pipeline/field_sample.h"
#include "indexer/pipeline/id_log.h"
#include "indexer/pipeline/id_set.h"
#include "indexer/runs/document_spool.h"

namespace frond::indexer::pipeline {

// Document n of the collection is docID n / P of partition n mod P. One thread.
class Sequencer {
 public:
  struct Files {
    std::vector<runs::SpoolWriter> spools;  // one for each partition
    std::optional<IdLog> ids;               // none: ids are not logged
  };
  // What another sequencer had seen before.
  struct Seen {
    IdSet ids;
    std::uint64_t documents = 0, tokens = 0;
    FieldSample sample;
  };
  Sequencer(Files files, Seen seen, std::uint64_t max_id_bytes, BadRecordLog& log);
  // Takes batches in input order. Sets batch.numbers, logs what was refused, writes stored fields. kInvalid: too many
  // bad records, more ids than fit into the memory, or a full partition; kUnavailable: the disk.
  Result<void> number(Batch& batch);
  // Writes the buffers. More batches may follow.
  Result<void> flush();
  std::uint64_t documents() const { return next_; }
  std::uint64_t tokens() const { return tokens_; }
  std::uint64_t id_bytes() const { return ids_.bytes(); }
  const FieldSample& sample() const { return sample_; }
  std::uint64_t spool_bytes(std::uint32_t partition) const { return spools_[partition].bytes(); }
  std::string ids_xxh3() const { return id_log_ ? id_log_->xxh3() : std::string(); }

 private:
  Result<void> spool(const Batch& batch, invert::DocumentNumber first);
  Result<void> spool_without_duplicates(const Batch& batch);
  void take_samples(const Batch& batch);
  runs::SpoolWriter& spool_of(invert::DocumentNumber document) { return spools_[document % spools_.size()]; }

  std::vector<runs::SpoolWriter> spools_;
  std::vector<runs::DocumentFrameWriter> frames_;  // for batches with duplicates
  FieldSample sample_;
  IdSet ids_;
  std::optional<IdLog> id_log_;
  std::uint64_t max_id_bytes_;
  BadRecordLog& log_;
  invert::DocumentNumber next_;
  std::uint64_t tokens_;
};

}  // namespace frond::indexer::pipeline
