#pragma once
// Records to batches: the work of the reader thread. A record that is too expensive to be parsed beside others gets a
// batch of its own; one that is too expensive for the memory limit is a bad record.
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/result.h"
#include "indexer/ingest/files/record_reader.h"
#include "indexer/pipeline/batch.h"
#include "indexer/pipeline/memory.h"

namespace frond::indexer::pipeline {

// One thread, the reader's. Errors as RecordReader's.
class BatchFiller {
 public:
  // The bad records whose details are kept until the next batch. Of further ones only the number and the last are kept.
  static constexpr std::size_t kMaxDetails = 1000;

  // Replaces the limits of `options` by the plan's. on_window: as InputLimits. checkpoint_bytes: of input between two
  // batches with a position; 0: no batch has one.
  static Result<std::unique_ptr<BatchFiller>> open(std::vector<std::filesystem::path> inputs,
                                                   const ingest::SourceFormat* format, ingest::ReadOptions options,
                                                   const MemoryPlan& plan, std::uint64_t checkpoint_bytes,
                                                   std::function<void(std::uint64_t)> on_window);
  // Fills an empty batch. False: the input has no more records; the batch may have the last ones.
  Result<bool> fill(Batch& batch);
  const ingest::RecordReader& reader() const { return *reader_; }

 private:
  BatchFiller(const MemoryPlan& plan, std::uint64_t checkpoint_bytes)
      : plan_(plan), checkpoint_bytes_(checkpoint_bytes) {}
  Result<bool> next_record();
  bool fits(ingest::RawRecord& record);
  void note_bad(const ingest::BadRecord& bad);
  void take(Batch& batch);
  void mark(Batch& batch);

  const MemoryPlan& plan_;
  const std::uint64_t checkpoint_bytes_;
  std::uint64_t next_mark_ = 0;  // bytes of input at which a batch gets a position
  std::unique_ptr<ingest::RecordReader> reader_;
  std::optional<ingest::RawRecord> next_;  // the next one
  std::vector<ingest::BadRecord> bad_;     // since the last batch
  std::uint64_t bad_left_out_ = 0;         // how many came before the last of them without being kept
};

}  // namespace frond::indexer::pipeline
