#pragma once
// All batches of a build. The pool bounds what is in flight: the number of batches, and the bytes of their records
// where records are larger than a batch should be. A record that needs the memory of all others is in flight alone.
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "common/base/mutex.h"
#include "indexer/pipeline/batch.h"

namespace frond::indexer::pipeline {

// Owns the batches; others borrow them. Any thread.
class BatchPool {
 public:
  BatchPool(std::size_t batches, std::uint64_t max_record_bytes);
  // A cleared batch; null: stopped.
  Batch* acquire(std::stop_token stop);
  // Waits until the filled batch fits beside those in flight, or none is in flight. False: stopped.
  bool admit(const Batch& batch, std::stop_token stop);
  // Waits until no batch with a record alone is in flight, or until `stop`.
  void wait_for_alone(std::stop_token stop);
  // Takes an admitted batch back.
  void release(Batch& batch);

 private:
  const std::uint64_t max_record_bytes_;
  std::vector<std::unique_ptr<Batch>> all_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Batch*> free_ FROND_GUARDED_BY(mutex_);
  std::uint64_t in_flight_ FROND_GUARDED_BY(mutex_) = 0;  // bytes of records; every batch has some
  bool alone_ FROND_GUARDED_BY(mutex_) = false;
};

}  // namespace frond::indexer::pipeline
