#include "indexer/pipeline/spools.h"

#include <utility>

#include "indexer/pipeline/batch_fields.h"
#include "indexer/runs/document_frame.h"

namespace frond::indexer::pipeline {

Spools::Spools(std::vector<runs::SpoolWriter> writers) {
  spools_.reserve(writers.size());
  for (runs::SpoolWriter& writer : writers)
    spools_.push_back({std::move(writer), static_cast<std::uint32_t>(spools_.size())});
}

void Spools::add(Spool& spool, Batch* batch) {
  spool.waiting.push_back(batch);
  ++tasks_left_;
  if (!spool.is_taken && spool.waiting.size() == 1) ready_.push_back(&spool);
}

void Spools::push(Batch& batch) {
  const MutexLock lock(mutex_);
  for (Spool& spool : spools_) add(spool, &batch);
  changed_.notify_one();  // it goes on while any spool is ready; where that is too slow, the next batch wakes another
}

void Spools::order_flush() {
  const MutexLock lock(mutex_);
  for (Spool& spool : spools_) add(spool, nullptr);
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

// False: all is written, or stopped.
bool Spools::take(Task& task, std::stop_token stop) {
  MutexLock lock(mutex_);
  const auto go_on = [this]() FROND_REQUIRES(mutex_) { return !ready_.empty() || (closed_ && tasks_left_ == 0); };
  if (!changed_.wait(mutex_, stop, go_on) || ready_.empty()) return false;
  task.spool = ready_.front();
  ready_.pop_front();
  task.spool->is_taken = true;
  task.batch = task.spool->waiting.front();
  task.spool->waiting.pop_front();
  return true;
}

void Spools::give_back(const Task& task) {
  const MutexLock lock(mutex_);
  Spool& spool = *task.spool;
  spool.is_taken = false;
  if (!spool.waiting.empty()) ready_.push_back(&spool);  // this thread takes one next
  if (task.batch == nullptr) {
    spool.flushed_bytes = spool.writer.bytes();
    if (--flushes_left_ == 0) flushed_.notify_all();
  }
  if (--tasks_left_ == 0) changed_.notify_all();
}

Result<void> Spools::run(BatchPool& pool, std::stop_token stop) {
  Task task{};
  while (take(task, stop)) {
    FROND_TRY(task.batch == nullptr ? task.spool->writer.finish() : write(*task.spool, *task.batch));
    if (task.batch != nullptr && --task.batch->readers_left == 0) pool.release(*task.batch);
    give_back(task);
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
