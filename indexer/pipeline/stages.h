#pragma once
// The stages of invert_documents() and what they share: reader → parsers → sequencer → inverters and spools, each with
// threads of its own. A function says whose thread it is for; open() and collect() are for the thread of run(), before
// the others begin and after they have ended.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/threads/bounded_queue.h"
#include "common/base/threads/parallel.h"
#include "indexer/invert/assignment.h"
#include "indexer/parse/batch_parser.h"
#include "indexer/parse/large_pages.h"
#include "indexer/pipeline/batch.h"
#include "indexer/pipeline/batch_filler.h"
#include "indexer/pipeline/invert_documents.h"
#include "indexer/pipeline/inverter_lanes.h"
#include "indexer/pipeline/memory.h"
#include "indexer/pipeline/sequencer.h"
#include "indexer/pipeline/spools.h"

namespace frond::indexer::pipeline {

// One build's. Borrows all that it is given.
class Pipeline {
 public:
  Pipeline(const InvertOptions& options, const std::filesystem::path& folder, InvertProgress& progress, Logger& logger,
           std::stop_token stop);
  // Blocks until all of its threads have ended.
  Result<InvertedDocuments> run();

 private:
  Result<void> open();
  Result<void> open_spools();
  Result<std::optional<IdLog>> open_ids(IdSet& seen);
  Result<void> open_lengths(std::uint64_t documents);
  Result<void> read();
  void hold_window(std::uint64_t bytes);
  bool admit(Batch& batch);
  Result<void> parse();
  Result<void> sequence();
  Result<bool> finish_checkpoint();
  Result<bool> begin_checkpoint(ingest::ReadPosition position);
  Result<void> end_checkpoint();
  std::uint64_t may_keep();
  void add_runs(std::vector<runs::RunFile> runs);
  void split(Batch& batch);
  Batch* next_parsed();
  InvertedDocuments counted(std::uint64_t text_tokens) const;
  InvertedDocuments collect();

  const InvertOptions& options_;
  const MemoryPlan& plan_;
  const std::filesystem::path& folder_;
  InvertProgress& progress_;
  FirstError error_;
  BadRecordLog log_;
  MemoryBudget budget_;
  parse::WorkingMemory parse_memory_;
  const parse::RetainedLargePages texts_kept_;
  BatchPool pool_;
  BoundedQueue<Batch*> to_parsers_;
  BoundedQueue<Batch*> to_sequencer_;
  std::atomic<std::uint32_t> parsing_;           // parsers that have not ended
  std::map<std::uint64_t, Batch*> out_of_turn_;  // of the sequencer: parsed before the one that comes next
  std::uint64_t next_sequence_ = 0;              // the number of that
  const std::string session_;
  std::vector<runs::LengthsWriter> lengths_;  // by partition, with an inverter of texts
  InverterLanes lanes_;
  std::unique_ptr<BatchFiller> filler_;
  std::optional<Sequencer> sequencer_;
  std::optional<Spools> spools_;
  std::optional<invert::Assignment> assignment_;
  // A checkpoint whose runs are being written, and the order to write them.
  struct OpenCheckpoint {
    Checkpoint made;
    std::uint64_t order = 0;
  };
  std::optional<OpenCheckpoint> checkpoint_;
  InvertedDocuments made_;  // its runs are those of checkpoints, or all when the threads have ended
  std::vector<double> parse_seconds_, invert_seconds_;
  double read_seconds_ = 0, sequence_seconds_ = 0;
};

}  // namespace frond::indexer::pipeline
