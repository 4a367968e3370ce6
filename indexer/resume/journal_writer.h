#pragma once
// Keeps a build's journal up to date. First what it names is synced, then the journal is replaced by one rename: a
// crash at any instant leaves the journal of before or the new one, and everything that it names.
#include <cstdint>
#include <filesystem>
#include <future>
#include <set>
#include <string>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "indexer/resume/journal.h"

namespace frond::indexer::resume {

// Any thread. Errors: kUnavailable, the disk; messages name the file.
class JournalWriter {
 public:
  // `journal`: of this build so far; `written`: the folder has one.
  JournalWriter(std::filesystem::path folder, Journal journal, bool written);
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  // Records a place in the input, by a thread of its own ("journal"): syncing many files takes seconds, in which the
  // pipeline goes on. Waits for the checkpoint before, and gives its error.
  Result<void> checkpoint(pipeline::Checkpoint made);
  // Waits until checkpoint() is done.
  Result<void> wait();
  // Records the end of a stage, before which there is nothing left to read of the input.
  Result<void> end_stage(Stage stage, const pipeline::InvertedDocuments& documents);
  // Records that a partition is whole, in the folder's subfolder of that name.
  Result<void> finish(FinishedPartition partition);
  // Whether there is a journal: without one, nothing more need be recorded.
  bool written() const;

 private:
  Result<void> write() FROND_REQUIRES(mutex_);
  Result<void> sync_once(const std::filesystem::path& file) FROND_REQUIRES(mutex_);

  const std::filesystem::path folder_;
  mutable Mutex mutex_;
  Journal journal_ FROND_GUARDED_BY(mutex_);
  std::set<std::filesystem::path> synced_ FROND_GUARDED_BY(mutex_);  // runs, which do not change
  bool written_ FROND_GUARDED_BY(mutex_);
  std::future<Result<void>> pending_;  // one thread calls checkpoint() and wait()
};

}  // namespace frond::indexer::resume
