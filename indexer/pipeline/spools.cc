#include "indexer/pipeline/spools.h"

#include <utility>

#include "indexer/pipeline/memory.h"

namespace frond::indexer::pipeline {
namespace {

constexpr std::size_t kBatchesAtOnce = 8;  // more are handed over in any case: they hold memory

}  // namespace

Spools::Spools(std::vector<runs::SpoolWriter> writers, std::uint32_t threads, BatchPool& batches, FirstError& error)
    : batches_(batches), error_(error), pool_("spooler", threads) {
  spools_.reserve(writers.size());
  for (runs::SpoolWriter& writer : writers)
    spools_.push_back({std::move(writer), static_cast<std::uint32_t>(spools_.size())});
}

Spools::~Spools() {
  MutexLock lock(mutex_);
  changed_.wait(mutex_, [this]() FROND_REQUIRES(mutex_) { return tasks_ == 0; });
}

void Spools::push(Batch& batch) {
  pushed_.push_back(&batch);
  if (pushed_.size() >= kBatchesAtOnce) hand_over();
}

void Spools::hand_over() {
  if (pushed_.empty()) return;
  const MutexLock lock(mutex_);
  for (Spool& spool : spools_) {
    spool.waiting.insert(spool.waiting.end(), pushed_.begin(), pushed_.end());
    if (spool.is_task) continue;
    pool_.add([this, &spool](std::size_t) { write_waiting(spool); });
    spool.is_task = true;
    ++tasks_;
  }
  pushed_.clear();
}

void Spools::order_flush() {
  {
    const MutexLock lock(mutex_);
    flushes_left_ += spools_.size();
  }
  pushed_.push_back(nullptr);
  hand_over();
}

bool Spools::has_flushed() {
  const MutexLock lock(mutex_);
  return flushes_left_ == 0;
}

bool Spools::wait_for_flush() {
  MutexLock lock(mutex_);
  return changed_.wait(mutex_, error_.token(), [this]() FROND_REQUIRES(mutex_) { return flushes_left_ == 0; });
}

std::uint64_t Spools::flushed_bytes(std::uint32_t partition) {
  const MutexLock lock(mutex_);
  return spools_[partition].flushed_bytes;
}

double Spools::seconds() {
  MutexLock lock(mutex_);
  changed_.wait(mutex_, [this]() FROND_REQUIRES(mutex_) { return tasks_ == 0; });
  return seconds_;
}

// A task: writes until nothing waits for the spool.
void Spools::write_waiting(Spool& spool) {
  const double began = thread_seconds();
  std::vector<Batch*> batches;
  while (next(spool, batches)) error_.guard([&] { return write(spool, batches); });
  seconds_.fetch_add(thread_seconds() - began);
  const MutexLock lock(mutex_);
  --tasks_;
  changed_.notify_all();
}

bool Spools::next(Spool& spool, std::vector<Batch*>& batches) {
  batches.clear();
  const MutexLock lock(mutex_);
  batches.swap(spool.waiting);
  return spool.is_task = !batches.empty();
}

Result<void> Spools::write(Spool& spool, const std::vector<Batch*>& batches) {
  for (Batch* const batch : batches) {
    if (error_.token().stop_requested()) return {};
    if (batch == nullptr) {
      FROND_TRY(spool.writer.finish());
      const MutexLock lock(mutex_);
      spool.flushed_bytes = spool.writer.bytes();
      if (--flushes_left_ == 0) changed_.notify_all();
      continue;
    }
    FROND_TRY(write(spool, *batch));
    if (--batch->readers_left == 0) batches_.release(*batch);
  }
  return {};
}

// The parser put the documents into frames as if there were no duplicates. If there are, the spool gets a frame of each
// row of its documents that lie behind each other.
Result<void> Spools::write(Spool& spool, const Batch& batch) const {
  const parse::ParsedBatch& parsed = batch.parsed;
  const std::size_t partitions = spools_.size();
  if (parsed.documents.empty()) return {};
  if (!batch.has_duplicates)
    return spool.writer.append(
        parsed.frames[(spool.partition + partitions - batch.numbers[0] % partitions) % partitions]);
  ByteView row, row_values;
  std::vector<std::uint32_t> lengths, value_sizes;
  std::vector<scoring::Prior> priors;
  const auto end_row = [&] {
    Result<void> written = spool.writer.append({row, row_values, lengths, priors, value_sizes});
    lengths.clear();
    priors.clear();
    value_sizes.clear();
    return written;
  };
  Result<void> written;
  for_each_fields(parsed, [&](std::size_t i, ByteView fields, ByteView values) {
    if (batch.numbers[i] == invert::kDropped || batch.numbers[i] % partitions != spool.partition) return;
    if (!lengths.empty() && row.data() + row.size() != fields.data() && written) written = end_row();
    row = lengths.empty() ? fields : ByteView(row.data(), row.size() + fields.size());
    // Values of documents that lie behind each other do so, too.
    row_values = lengths.empty() ? values : ByteView(row_values.data(), row_values.size() + values.size());
    lengths.push_back(parsed.documents[i].length);
    priors.push_back(parsed.documents[i].prior);
    value_sizes.push_back(static_cast<std::uint32_t>(values.size()));
  });
  FROND_TRY(std::move(written));
  return end_row();
}

}  // namespace frond::indexer::pipeline
