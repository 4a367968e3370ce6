#pragma once
// All the batches there are, so that what is in flight is bounded: by number, and by bytes of records where records are
// larger than a batch is meant to be; and nothing else beside a record that needs the memory of all the others.
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "common/base/mutex.h"
#include "indexer/pipeline/batch.h"

namespace frond::indexer::pipeline {

// Owns the batches; others borrow. Any thread.
class BatchPool {
 public:
  BatchPool(std::size_t batches, std::uint64_t max_record_bytes) : max_record_bytes_(max_record_bytes) {
    for (std::size_t i = 0; i < batches; ++i) free_.push_back(all_.emplace_back(std::make_unique<Batch>()).get());
  }
  // A cleared batch; null: stopped.
  Batch* acquire(std::stop_token stop) {
    MutexLock lock(mutex_);
    if (!changed_.wait(mutex_, stop, [this]() FROND_REQUIRES(mutex_) { return !free_.empty(); })) return nullptr;
    Batch* const batch = free_.back();
    free_.pop_back();
    return batch;
  }
  // Waits until the batch, filled, fits beside those in flight, or is alone. False: stopped.
  bool admit(const Batch& batch, std::stop_token stop) {
    MutexLock lock(mutex_);
    const auto fits = [&]() FROND_REQUIRES(mutex_) {
      if (in_flight_ == 0) return true;
      return batch.alone_bytes == 0 && !alone_ && in_flight_ + batch.record_bytes <= max_record_bytes_;
    };
    if (!changed_.wait(mutex_, stop, fits)) return false;
    in_flight_ += batch.record_bytes;
    alone_ = batch.alone_bytes > 0;
    if (alone_)  // the memory of the others is for this one
      for (Batch* const other : free_) other->drop();
    return true;
  }
  // Waits until no batch with a record alone is in flight, or until `stop`.
  void wait_for_alone(std::stop_token stop) {
    MutexLock lock(mutex_);
    changed_.wait(mutex_, stop, [this]() FROND_REQUIRES(mutex_) { return !alone_; });
  }
  // Gives an admitted batch back.
  void release(Batch& batch) {
    const std::uint64_t bytes = batch.record_bytes;
    if (bytes > max_record_bytes_ || batch.alone_bytes > 0)
      batch.drop();  // an outsized record's memory is not kept
    else
      batch.clear();
    MutexLock lock(mutex_);
    in_flight_ -= bytes;
    if (in_flight_ == 0) alone_ = false;
    free_.push_back(&batch);
    changed_.notify_all();
  }

 private:
  const std::uint64_t max_record_bytes_;
  std::vector<std::unique_ptr<Batch>> all_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Batch*> free_ FROND_GUARDED_BY(mutex_);
  std::uint64_t in_flight_ FROND_GUARDED_BY(mutex_) = 0;  // bytes of records; a batch has some
  bool alone_ FROND_GUARDED_BY(mutex_) = false;
};

// Parsed batches in any order in, in input order out. As many as the pool has at most. Any thread.
class ReorderBuffer {
 public:
  void put(Batch& batch) {
    MutexLock lock(mutex_);
    waiting_.emplace(batch.sequence, &batch);
    changed_.notify_all();
  }
  // All batches below `sequences` will be put.
  void close(std::uint64_t sequences) {
    MutexLock lock(mutex_);
    end_ = sequences;
    changed_.notify_all();
  }
  // The next batch; null: after the last one, or stopped.
  Batch* next(std::stop_token stop) {
    MutexLock lock(mutex_);
    const auto ready = [this]() FROND_REQUIRES(mutex_) { return waiting_.contains(next_) || next_ == end_; };
    if (!changed_.wait(mutex_, stop, ready) || next_ == end_) return nullptr;
    Batch* const batch = waiting_.extract(next_++).mapped();
    return batch;
  }

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::uint64_t, Batch*> waiting_ FROND_GUARDED_BY(mutex_);
  std::uint64_t next_ FROND_GUARDED_BY(mutex_) = 0;
  std::uint64_t end_ FROND_GUARDED_BY(mutex_) = ~std::uint64_t{0};
};

}  // namespace frond::indexer::pipeline
