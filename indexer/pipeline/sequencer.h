#pragma once
// Numbers documents in input order, whatever thread parsed them, so that an index does not depend on how many there
// were: bad records and duplicates get no number. Deals the stored fields to the partitions' spools.
#include <cstdint>
#include <filesystem>
#include <vector>

#include "common/base/result.h"
#include "indexer/pipeline/bad_record_log.h"
#include "indexer/pipeline/batch.h"
#include "indexer/pipeline/id_set.h"
#include "indexer/runs/document_spool.h"

namespace frond::indexer::pipeline {

// Document n of the collection is docID n / P of partition n mod P. One thread.
class Sequencer {
 public:
  // One spool a partition.
  Sequencer(std::vector<runs::SpoolWriter> spools, std::uint64_t max_id_bytes, BadRecordLog& log);
  // Fills batch.numbers, reports what was refused, writes stored fields. Batches in input order. kInvalid: too many bad
  // records; ids that do not fit into memory; a partition that is full. kUnavailable: the disk.
  Result<void> number(Batch& batch);
  // Writes what is buffered.
  Result<void> finish();
  std::uint64_t documents() const { return next_; }
  std::uint64_t tokens() const { return tokens_; }
  std::uint64_t id_bytes() const { return ids_.bytes(); }

 private:
  Result<void> spool(const Batch& batch, invert::DocumentNumber first);
  Result<void> spool_without_duplicates(const Batch& batch);
  runs::SpoolWriter& spool_of(invert::DocumentNumber document) { return spools_[document % spools_.size()]; }

  std::vector<runs::SpoolWriter> spools_;
  runs::FrameCompressor compressor_;
  std::vector<runs::DocumentFrameWriter> frames_;  // for batches with duplicates
  IdSet ids_;
  std::uint64_t max_id_bytes_;
  BadRecordLog& log_;
  invert::DocumentNumber next_ = 0;
  std::uint64_t tokens_ = 0;
};

}  // namespace frond::indexer::pipeline
