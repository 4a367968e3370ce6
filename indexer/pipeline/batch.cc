#include "indexer/pipeline/batch.h"

namespace frond::indexer::pipeline {

BatchPool::BatchPool(std::size_t batches, std::uint64_t max_record_bytes) : max_record_bytes_(max_record_bytes) {
  for (std::size_t i = 0; i < batches; ++i) free_.push_back(all_.emplace_back(std::make_unique<Batch>()).get());
}

Batch* BatchPool::acquire(std::stop_token stop) {
  MutexLock lock(mutex_);
  if (!changed_.wait(mutex_, stop, [this]() FROND_REQUIRES(mutex_) { return !free_.empty(); })) return nullptr;
  Batch* const batch = free_.back();
  free_.pop_back();
  return batch;
}

bool BatchPool::admit(const Batch& batch, std::stop_token stop) {
  MutexLock lock(mutex_);
  const auto fits = [&]() FROND_REQUIRES(mutex_) {
    if (in_flight_ == 0) return true;
    return batch.alone_bytes == 0 && !alone_ && in_flight_ + batch.record_bytes <= max_record_bytes_;
  };
  if (!changed_.wait(mutex_, stop, fits)) return false;
  in_flight_ += batch.record_bytes;
  alone_ = batch.alone_bytes > 0;
  if (alone_)  // it needs the memory that the free batches hold
    for (Batch* const other : free_) other->drop();
  return true;
}

void BatchPool::wait_for_alone(std::stop_token stop) {
  MutexLock lock(mutex_);
  changed_.wait(mutex_, stop, [this]() FROND_REQUIRES(mutex_) { return !alone_; });
}

void BatchPool::release(Batch& batch) {
  const std::uint64_t bytes = batch.record_bytes;
  if (bytes > max_record_bytes_ || batch.alone_bytes > 0)
    batch.drop();  // the memory of outsized records is not kept
  else
    batch.clear();
  MutexLock lock(mutex_);
  in_flight_ -= bytes;
  if (in_flight_ == 0) alone_ = false;
  free_.push_back(&batch);
  changed_.notify_all();
}

}  // namespace frond::indexer::pipeline
