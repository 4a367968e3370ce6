#pragma once
// The records of one run, one after the other, for a merge. Reading, checking and decoding them takes more than half of
// a merge's time, and is the same work for each run: where there is memory, other threads do it ahead of the one that
// merges.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/base/task_pool.h"
#include "indexer/runs/run_reader.h"

namespace frond::indexer::runs {

// One thread. Holds a RunReader; with a pool, records of up to kAheadBytes beside it. Errors name the file: kCorrupt,
// kUnavailable.
class RunCursor {
 public:
  static constexpr std::uint64_t kAheadBytes = std::uint64_t{512} << 10;

  // ahead: has records read and decoded ahead; outlives this. Null: they are read when they are needed.
  static Result<RunCursor> open(const std::filesystem::path& path, std::uint32_t partition, TaskPool* ahead = nullptr);
  // Moves to the next record; false after the last one.
  Result<bool> next() { return ahead_ ? next_of_batch() : next_of_reader(); }
  // The record at hand, until next() is called.
  std::string_view term() const { return term_; }
  std::span<const DocId> docids() const { return docids_; }
  std::span<const Frequency> frequencies() const { return frequencies_; }
  Error corrupt(const std::string& what) const { return Error(Code::kCorrupt, path_.string() + ": " + what); }

 private:
  // A batch ends with the record that reaches one of these. Two batches are below kAheadBytes.
  static constexpr std::size_t kBatchPostings = 8192, kBatchRecords = 4096, kBatchTermBytes = std::size_t{32} << 10;
  struct Batch {
    struct Record {
      std::uint32_t term_end, posting_end;
    };
    std::string terms;
    std::vector<Record> records;
    std::vector<DocId> docids;
    std::vector<Frequency> frequencies;
    bool last = false;           // the run has no more
    std::optional<Error> error;  // behind the records
  };
  explicit RunCursor(std::filesystem::path path) : path_(std::move(path)) {}
  static Batch read_batch(RunReader& reader);
  Result<bool> next_of_reader();
  Result<bool> next_of_batch();
  void begin_batch();

  std::filesystem::path path_;
  std::unique_ptr<RunReader> reader_;  // of a task, while there is one
  Batch batch_;
  std::size_t at_ = 0;  // of the next record
  std::string_view term_;
  std::span<const DocId> docids_;
  std::span<const Frequency> frequencies_;
  std::unique_ptr<OrderedTasks<Batch>> ahead_;  // last: it uses the reader. Null: nothing is read ahead
};

}  // namespace frond::indexer::runs
