#include "indexer/pipeline/reorder_buffer.h"

namespace frond::indexer::pipeline {

void ReorderBuffer::put(Batch& batch) {
  MutexLock lock(mutex_);
  waiting_.emplace(batch.sequence, &batch);
  if (batch.sequence == next_) changed_.notify_one();  // nothing else is waited for
}

void ReorderBuffer::close(std::uint64_t sequences) {
  MutexLock lock(mutex_);
  end_ = sequences;
  changed_.notify_all();
}

Batch* ReorderBuffer::try_next() {
  const MutexLock lock(mutex_);
  return waiting_.contains(next_) ? waiting_.extract(next_++).mapped() : nullptr;
}

Batch* ReorderBuffer::next(std::stop_token stop) {
  MutexLock lock(mutex_);
  const auto ready = [this]() FROND_REQUIRES(mutex_) { return waiting_.contains(next_) || next_ == end_; };
  if (!changed_.wait(mutex_, stop, ready) || next_ == end_) return nullptr;
  return waiting_.extract(next_++).mapped();
}

}  // namespace frond::indexer::pipeline
