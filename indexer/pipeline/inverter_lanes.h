#pragma once
// The inverters of a build, each with its queue of batches and its runs. An inverter keeps to its budget only while it
// inverts; one that waits for a batch must be ordered to flush.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/base/threads/bounded_queue.h"
#include "indexer/invert/inverter.h"
#include "indexer/pipeline/batch.h"
#include "indexer/pipeline/memory.h"
#include "indexer/runs/document_spool.h"

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
  // REQUIRES: `budget` outlives this; `kinds` has each kind of which the plan has inverters.
  InverterLanes(const Kinds& kinds, const MemoryPlan& plan, const MemoryBudget& budget,
                const std::filesystem::path& folder);
  InverterLanes(const InverterLanes&) = delete;
  InverterLanes& operator=(const InverterLanes&) = delete;
  std::size_t count() const { return lanes_.size(); }

  // Sequencer: gives a batch to all inverters. False: stopped.
  bool push(Batch& batch, std::stop_token stop);
  // Sequencer: no more batches and no more flushes will come. keep: what the inverters have stays in memory, for
  // take_in_memory() or take_slices(), if none of them has written a run, and all together hold at most so many bytes.
  void close(std::uint64_t keep = 0);
  // Any thread: if an inverter holds more than `bytes`, makes all flush and waits until they have, or until `stop`.
  void flush_above(std::uint64_t bytes, std::stop_token stop);

  // Thread `number` runs this until the lanes are closed, or until `stop`. Gives batches back to the pool. Errors as
  // the inverter's.
  Result<void> run(std::size_t number, BatchPool& pool, std::stop_token stop);
  // Sequencer: makes all flush what they have of the batches so far, whatever they hold. Gives the order's number, or
  // 0: stopped.
  std::uint64_t order_flush(std::stop_token stop);
  // Whether all have carried out that order. Any thread.
  bool has_flushed(std::uint64_t order);
  // Waits until they have. False: stopped.
  bool wait_for_flush(std::uint64_t order, std::stop_token stop);
  // The runs that were flushed since the last call, up to an order, or all. All postings of a term are in runs of one
  // lane, which are in the order in which it wrote them.
  std::vector<runs::RunFile> take_runs(std::uint64_t order = ~std::uint64_t{0});
  // When the threads have ended, before take_runs(): the postings that stayed in memory, of each inverter. None: there
  // are runs. kUnavailable: the disk.
  Result<std::vector<std::unique_ptr<invert::InMemoryPostings>>> take_in_memory();
  std::unique_ptr<runs::PostingSlices> take_slices();
  std::uint64_t unspilled_bytes() const;  // of their memory, before
  // What all inverters have in memory, and whether there are runs that were not taken.
  std::uint64_t memory_bytes() const;
  bool has_runs();
  // Terms of documents that came as texts before an order that was carried out; or of all, when the threads have ended.
  std::uint64_t text_tokens_before(std::uint64_t order);
  std::uint64_t text_tokens() const { return text_tokens_; }

 private:
  // One of the two of its pointers is set.
  struct OneInverter {
    std::unique_ptr<invert::Inverter> tokens;
    std::unique_ptr<invert::TextInverter> texts;
    std::uint64_t memory_bytes() const {
      if (texts) return texts->memory_bytes();
      return tokens ? tokens->memory_bytes() : 0;
    }
  };
  struct Flushed {
    std::uint64_t order = 0;
    runs::RunFile run;
  };
  struct Lane {
    OneInverter inverter;
    std::unique_ptr<BoundedQueue<Batch*>> queue;          // null: flush
    std::vector<Flushed> runs;                            // flushed and not taken, under flushed_mutex_
    std::uint64_t flushes = 0;                            // carried out; changed under flushed_mutex_
    std::unique_ptr<invert::InMemoryPostings> in_memory;  // when its thread has ended; or
    std::unique_ptr<runs::PostingSlices> slices;
    std::uint64_t unspilled_bytes = 0;  // of it
  };
  OneInverter make_inverter(const Kinds& kinds, const MemoryPlan& plan, std::size_t number);
  std::unique_ptr<invert::TextInverter> make_text_inverter(const Kinds& kinds, const MemoryPlan& plan,
                                                           invert::InverterSetup setup);
  Result<void> invert(Lane& lane, std::size_t number, Batch& batch);
  bool any_holds_more(std::uint64_t bytes) const;
  std::uint64_t give_order(std::stop_token stop) FROND_REQUIRES(order_mutex_);
  Result<void> run_batches(Lane& lane, std::size_t number, BatchPool& pool, const std::stop_token& stop);
  Result<void> carry_out_flush(Lane& lane);
  Result<void> flush(Lane& lane);
  void release_memory() const;
  Result<void> end(Lane& lane);

  const MemoryBudget& budget_;
  const std::filesystem::path folder_;
  const std::string run_prefix_;
  const std::uint32_t partitions_;
  const std::size_t frame_bytes_;
  const std::uint64_t keeps_bytes_;  // resident memory below which what is freed is kept for further use
  std::vector<runs::LengthsWriter>& lengths_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  Mutex order_mutex_;  // while a flush is ordered
  std::uint64_t orders_ FROND_GUARDED_BY(order_mutex_) = 0;
  Mutex flushed_mutex_;
  std::condition_variable_any flushed_;
  std::atomic<std::uint64_t> keep_ = 0;        // bytes
  std::atomic<std::uint64_t> would_keep_ = 0;  // of the inverters that have ended
  std::uint64_t text_tokens_ = 0;              // the thread of the lane; others when it has ended
  std::map<std::uint64_t, std::uint64_t> text_tokens_before_ FROND_GUARDED_BY(flushed_mutex_);  // by order
};

}  // namespace frond::indexer::pipeline
