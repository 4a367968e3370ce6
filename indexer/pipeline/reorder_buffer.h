#pragma once
// Parsed batches: put in any order, taken in input order.
#include <condition_variable>
#include <cstdint>
#include <map>
#include <stop_token>

#include "common/base/mutex.h"
#include "indexer/pipeline/batch.h"

namespace frond::indexer::pipeline {

// Holds no more batches than the pool has. Any thread.
class ReorderBuffer {
 public:
  void put(Batch& batch);
  // The batches are numbered from 0 to `sequences` - 1; all of them have been put, or will be.
  void close(std::uint64_t sequences);
  // The next batch; null: after the last one, or stopped.
  Batch* next(std::stop_token stop);
  Batch* try_next();  // null: it is not there yet, or there is none

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::uint64_t, Batch*> waiting_ FROND_GUARDED_BY(mutex_);
  std::uint64_t next_ FROND_GUARDED_BY(mutex_) = 0;
  std::uint64_t end_ FROND_GUARDED_BY(mutex_) = ~std::uint64_t{0};
};

}  // namespace frond::indexer::pipeline
