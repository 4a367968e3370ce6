#pragma once
// Writes the stored fields of numbered batches to the spools of the partitions, by several threads, so that none of
// them limits a build with bodies. A spool for which batches wait is a task of the pool: it is with one thread at a
// time and gets its frames in input order, so what it holds does not depend on the threads. Batches are handed over
// some at a time while the sequencer has others to go on with: one by one, it would wait for the threads' mutex longer
// than it takes to number them.
//
// Frames stay in their batches until they are written. So what waits here is bounded by the batches of the pool.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/base/threads/parallel.h"
#include "common/base/threads/task_pool.h"
#include "indexer/pipeline/batch.h"
#include "indexer/runs/document_spool.h"

namespace frond::indexer::pipeline {

class Spools {
 public:
  // writers: one for each partition, for up to `threads` threads. Batches are given back to `batches`. The disk's
  // errors (kUnavailable; the message names the file) go to `error`, whose token also stops the threads. Borrows both.
  Spools(std::vector<runs::SpoolWriter> writers, std::uint32_t threads, BatchPool& batches, FirstError& error);
  // Waits for the threads.
  ~Spools();
  Spools(const Spools&) = delete;
  Spools& operator=(const Spools&) = delete;
  // How often a batch is given back (Batch::readers_left).
  std::uint32_t count() const { return static_cast<std::uint32_t>(spools_.size()); }

  // All by the sequencer, which may be another thread after the last batch. A numbered batch, in input order; it may
  // stay here until hand_over().
  void push(Batch& batch);
  // The threads may write all that was pushed. Called before waiting for more batches.
  void hand_over();
  // All that was pushed is to be in the files. Not called again before wait_for_flush().
  void order_flush();
  // Whether it is.
  bool has_flushed();
  // Waits until it is. False: stopped.
  bool wait_for_flush();
  // The spool's bytes up to the last order, which was carried out.
  std::uint64_t flushed_bytes(std::uint32_t partition);
  // Processor time of the threads, whose tasks it waits for. After wait_for_flush().
  double seconds();

 private:
  struct Spool {
    runs::SpoolWriter writer;         // of the thread that writes
    std::uint32_t partition = 0;      // not changed
    std::vector<Batch*> waiting{};    // under mutex_, as is all that follows; null: flush
    bool is_task = false;             // of the pool
    std::uint64_t flushed_bytes = 0;  // at the last flush
  };
  bool next(Spool& spool, std::vector<Batch*>& batches);
  void write_waiting(Spool& spool);
  Result<void> write(Spool& spool, const std::vector<Batch*>& batches);
  Result<void> write(Spool& spool, const Batch& batch) const;

  BatchPool& batches_;
  FirstError& error_;
  std::vector<Spool> spools_;
  std::vector<Batch*> pushed_;  // of the sequencer, not handed over
  std::atomic<double> seconds_ = 0;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t tasks_ FROND_GUARDED_BY(mutex_) = 0;         // spools that are tasks of the pool
  std::uint64_t flushes_left_ FROND_GUARDED_BY(mutex_) = 0;  // of spools
  TaskPool pool_;                                            // last: its threads use the others
};

}  // namespace frond::indexer::pipeline
