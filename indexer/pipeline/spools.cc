#include "indexer/pipeline/spools.h"

#include <utility>

#include "indexer/pipeline/batch_fields.h"
#include "indexer/runs/document_frame.h"

namespace frond::indexer::pipeline {
namespace {

constexpr std::size_t kBatchesAtOnce = 8;  // more are handed over in any case: they hold memory

}  // namespace

Spools::Spools(std::vector<runs::SpoolWriter> writers) {
  spools_.reserve(writers.size());
  for (runs::SpoolWriter& writer : writers)
    spools_.push_back({std::move(writer), static_cast<std::uint32_t>(spools_.size())});
}

void Spools::push(Batch& batch) {
  pushed_.push_back(&batch);
  if (pushed_.size() >= kBatchesAtOnce) hand_over();
}

void Spools::hand_over() {
  if (pushed_.empty()) return;
  const MutexLock lock(mutex_);
  hand_over_locked();
  changed_.notify_one();  // it goes on while any spool is ready; where that is too slow, the next time wakes another
}

void Spools::hand_over_locked() {
  for (Spool& spool : spools_) {
    if (!spool.is_taken && spool.waiting.empty()) {
      ready_.push_back(&spool);
      ++spools_left_;
    }
    spool.waiting.insert(spool.waiting.end(), pushed_.begin(), pushed_.end());
  }
  pushed_.clear();
}

void Spools::order_flush() {
  pushed_.push_back(nullptr);
  const MutexLock lock(mutex_);
  hand_over_locked();
  flushes_left_ += spools_.size();
  changed_.notify_all();
}

bool Spools::has_flushed() {
  const MutexLock lock(mutex_);
  return flushes_left_ == 0;
}

bool Spools::wait_for_flush(std::stop_token stop) {
  MutexLock lock(mutex_);
  return flushed_.wait(mutex_, stop, [this]() FROND_REQUIRES(mutex_) { return flushes_left_ == 0; });
}

std::uint64_t Spools::flushed_bytes(std::uint32_t partition) {
  const MutexLock lock(mutex_);
  return spools_[partition].flushed_bytes;
}

void Spools::close() {
  order_flush();
  const MutexLock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

// Gives back what was taken, and takes what waits for the next spool. False: all is written, or stopped.
bool Spools::next(Task& task, std::stop_token stop) {
  MutexLock lock(mutex_);
  if (task.spool != nullptr) give_back(task);
  const auto go_on = [this]() FROND_REQUIRES(mutex_) { return !ready_.empty() || (closed_ && spools_left_ == 0); };
  if (!changed_.wait(mutex_, stop, go_on) || ready_.empty()) return false;
  task.spool = ready_.front();
  ready_.pop_front();
  task.spool->is_taken = true;
  task.batches.swap(task.spool->waiting);
  return true;
}

void Spools::give_back(Task& task) {
  Spool& spool = *std::exchange(task.spool, nullptr);
  spool.is_taken = false;
  if (!spool.waiting.empty())
    ready_.push_back(&spool);  // this thread takes one next
  else if (--spools_left_ == 0)
    changed_.notify_all();
  task.batches.clear();
  if (const auto bytes = std::exchange(task.flushed_bytes, std::nullopt)) {
    spool.flushed_bytes = *bytes;
    if (--flushes_left_ == 0) flushed_.notify_all();
  }
}

Result<void> Spools::run(BatchPool& pool, std::stop_token stop) {
  Task task;
  while (next(task, stop)) FROND_TRY(write(task, pool));
  return {};
}

Result<void> Spools::write(Task& task, BatchPool& pool) const {
  runs::SpoolWriter& writer = task.spool->writer;
  for (Batch* const batch : task.batches) {
    if (batch == nullptr) {
      FROND_TRY(writer.finish());
      task.flushed_bytes = writer.bytes();
      continue;
    }
    FROND_TRY(write(*task.spool, *batch));
    if (--batch->readers_left == 0) pool.release(*batch);
  }
  return {};
}

// The parser dealt the documents as if there were no duplicates. If there are, they are dealt here again.
Result<void> Spools::write(Spool& spool, const Batch& batch) const {
  const parse::ParsedBatch& parsed = batch.parsed;
  const std::size_t partitions = spools_.size();
  if (parsed.documents.empty()) return {};
  if (!batch.has_duplicates)
    return spool.writer.append(
        parsed.frames[(spool.partition + partitions - batch.numbers[0] % partitions) % partitions]);
  runs::ScatteredFrame frame(parsed.documents.size() / partitions + 1);
  for_each_fields(parsed, [&](std::size_t i, ByteView fields) {
    if (batch.numbers[i] != invert::kDropped && batch.numbers[i] % partitions == spool.partition)
      frame.add(fields, parsed.documents[i].length, parsed.documents[i].prior);
  });
  return spool.writer.append(frame);
}

}  // namespace frond::indexer::pipeline
