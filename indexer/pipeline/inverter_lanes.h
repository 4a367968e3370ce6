#pragma once
// The inverters of a build, each with its queue of batches and its runs. An inverter keeps to its budget only while it
// inverts; one that waits for a batch must be ordered to flush.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "indexer/invert/inverters.h"
#include "indexer/invert/text_inverter.h"
#include "indexer/pipeline/batch_pool.h"
#include "indexer/pipeline/bounded_queue.h"
#include "indexer/pipeline/memory_budget.h"
#include "indexer/runs/document_lengths.h"

namespace frond::indexer::pipeline {

class InverterLanes {
 public:
  struct Kinds {
    const invert::InverterKind& cpu;
    const invert::InverterKind* gpu;  // null: the plan has none
    invert::GpuMemory gpu_memory;
    std::uint32_t partitions;
    std::string run_prefix;  // of the names of runs
    std::function<void(const std::string&)> warn;
    const invert::AroundInverter& around;       // used by the constructor only
    const invert::TextInverterKind* texts;      // in place of all others, if the plan says so
    const text::AnalyzerConfig& analyzer;       // of texts
    std::vector<runs::LengthsWriter>& lengths;  // by partition, made before the first batch: of the texts' documents
  };
  // As many inverters as the plan says, those of the CPU first.
  InverterLanes(const Kinds& kinds, const MemoryPlan& plan, const MemoryBudget& budget,
                const std::filesystem::path& folder);
  std::size_t count() const { return lanes_.size(); }

  // Sequencer: gives a batch to all inverters. False: stopped.
  bool push(Batch& batch, std::stop_token stop);
  // Sequencer: no more batches and no more flushes will come. hold: what the inverters have stays in memory, for
  // take_held(), if none of them has written a run.
  void close(bool hold = false);
  // Any thread: if an inverter holds more than `bytes`, makes all flush and waits until they have, or until `stop`.
  void flush_above(std::uint64_t bytes, std::stop_token stop);

  // Thread `number` runs this until the lanes are closed, or until `stop`. Gives batches back to the pool. Errors as
  // the inverter's.
  Result<void> run(std::size_t number, BatchPool& pool, std::stop_token stop);
  // Sequencer: makes all flush and waits until they have, whatever they hold. False: stopped.
  bool flush_all(std::stop_token stop);
  // The runs that were flushed since the last call. All postings of a term are in runs of one inverter, which are in
  // the order in which it wrote them.
  std::vector<runs::RunFile> take_runs();
  // When the threads have ended, before take_runs(): the postings that stayed in memory. Null: there are runs.
  // kUnavailable: the disk.
  Result<std::unique_ptr<runs::PostingSource>> take_held();
  std::uint64_t held_bytes() const;  // of their memory, before
  // What all inverters have in memory, and whether there are runs that were not taken.
  std::uint64_t memory_bytes() const;
  bool has_runs();
  // Terms of documents that came as texts. After flush_all(), or when the threads have ended.
  std::uint64_t text_tokens() const { return text_tokens_; }

 private:
  struct Lane {
    std::unique_ptr<invert::Inverter> inverter;
    std::unique_ptr<invert::TextInverter> texts;  // in its place
    std::unique_ptr<BoundedQueue<Batch*>> queue;  // null: flush
    std::vector<runs::RunFile> runs;              // flushed and not taken, under flushed_mutex_
    std::uint64_t flushes = 0;                    // carried out, under flushed_mutex_
    std::unique_ptr<runs::PostingSource> held;    // when its thread has ended
    std::uint64_t held_bytes = 0;                 // of it
    std::uint64_t memory_bytes() const { return texts ? texts->memory_bytes() : inverter->memory_bytes(); }
  };
  std::unique_ptr<invert::TextInverter> make_text_inverter(const Kinds& kinds, const MemoryPlan& plan,
                                                           invert::InverterSetup setup);
  Result<void> invert(Lane& lane, std::size_t number, Batch& batch);
  bool any_holds_more(std::uint64_t bytes) const;
  bool order_flush(std::stop_token stop) FROND_REQUIRES(order_mutex_);
  Result<void> flush(Lane& lane);
  Result<void> end(Lane& lane);

  const std::filesystem::path folder_;
  const std::string run_prefix_;
  const std::size_t frame_bytes_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  Mutex order_mutex_;  // while a flush is ordered
  std::uint64_t orders_ FROND_GUARDED_BY(order_mutex_) = 0;
  Mutex flushed_mutex_;
  std::condition_variable_any flushed_;
  std::atomic<bool> hold_ = false;
  std::uint64_t text_tokens_ = 0;  // the thread of the lane; others when it has ended
};

}  // namespace frond::indexer::pipeline
