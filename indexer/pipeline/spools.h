#pragma once
// Writes the stored fields of numbered batches to the spools of the partitions. Several threads write, so that none of
// them limits a build with bodies: a thread takes a spool that frames wait for, writes these, and takes the next spool.
// A spool is with one thread at a time and gets its frames in input order, so its bytes do not depend on the threads.
// Batches are handed over some at a time while the sequencer has others to go on with: one by one, it would wait for
// the threads' mutex longer than it takes to number them.
//
// Frames stay in their batches until they are written. So what waits here is bounded by the batches of the pool.
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <optional>
#include <stop_token>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "indexer/pipeline/batch.h"
#include "indexer/pipeline/batch_pool.h"
#include "indexer/runs/document_spool.h"

namespace frond::indexer::pipeline {

class Spools {
 public:
  // writers: one for each partition.
  explicit Spools(std::vector<runs::SpoolWriter> writers);
  Spools(const Spools&) = delete;
  Spools& operator=(const Spools&) = delete;
  // How often a batch is given back (Batch::readers_left).
  std::uint32_t count() const { return static_cast<std::uint32_t>(spools_.size()); }

  // Sequencer: a numbered batch, in input order. It may stay here until hand_over().
  void push(Batch& batch);
  // Sequencer: the threads may write all that was pushed. Called before waiting for more batches.
  void hand_over();
  // Sequencer: all that was pushed is to be in the files. Not called again before wait_for_flush().
  void order_flush();
  // Whether it is. Any thread.
  bool has_flushed();
  // Waits until it is. False: stopped.
  bool wait_for_flush(std::stop_token stop);
  // The spool's bytes up to the last order, which was carried out.
  std::uint64_t flushed_bytes(std::uint32_t partition);
  // Sequencer: flushes all; no more batches will come.
  void close();

  // A thread runs this until all is written, or until `stop`. Gives batches back to the pool. kUnavailable: the disk;
  // the message names the file.
  Result<void> run(BatchPool& pool, std::stop_token stop);

 private:
  struct Spool {
    runs::SpoolWriter writer;         // of the thread that has taken the spool
    std::uint32_t partition = 0;      // not changed
    std::vector<Batch*> waiting{};    // under mutex_, as is all that follows; null: flush
    bool is_taken = false;            // by a thread
    std::uint64_t flushed_bytes = 0;  // at the last flush
  };
  // What a thread has taken.
  struct Task {
    Spool* spool = nullptr;
    std::vector<Batch*> batches{};
    std::optional<std::uint64_t> flushed_bytes{};
  };
  void hand_over_locked() FROND_REQUIRES(mutex_);
  void give_back(Task& task) FROND_REQUIRES(mutex_);
  bool next(Task& task, std::stop_token stop);
  Result<void> write(Task& task, BatchPool& pool) const;
  Result<void> write(Spool& spool, const Batch& batch) const;

  std::vector<Spool> spools_;
  std::vector<Batch*> pushed_;  // of the sequencer, not handed over
  Mutex mutex_;
  std::condition_variable_any changed_;                      // for the threads
  std::condition_variable_any flushed_;                      // for the sequencer
  std::deque<Spool*> ready_ FROND_GUARDED_BY(mutex_);        // frames wait, and no thread has taken them
  std::uint64_t spools_left_ FROND_GUARDED_BY(mutex_) = 0;   // of which frames wait, or are with a thread
  std::uint64_t flushes_left_ FROND_GUARDED_BY(mutex_) = 0;  // of these
  bool closed_ FROND_GUARDED_BY(mutex_) = false;
};

}  // namespace frond::indexer::pipeline
