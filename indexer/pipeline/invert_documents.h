#pragma once
// The first half of a build: inputs to runs and spools. The threads, with bounded queues between them:
//
//   thread      runs                                              may block on
//   reader      RecordReader::next(), batches of records          the disk; a free batch
//   unpacker-i  parts of a compressed file (read_ahead.h)       a part
//   parser-i    BatchParser                                       a batch
//   sequencer   Sequencer, in input order; memory; flush orders   the next batch; the disk, for the log of ids
//   spooler-i   Spools, frames of fields to their spools           the disk
//   inverter-i  an Inverter, on its own collections               a batch; the disk, when flushing
//
// With an inverter of texts (invert/inverter.h), parsers copy texts, and there is one inverter, which analyzes
// them on a GPU; the lengths of documents come from it, too.
//
// The number of threads and the memory limit do not change a byte of the index, only how postings are cut into runs.
#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <vector>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/text/analyzer_config.h"
#include "indexer/ingest/files/record_reader.h"
#include "indexer/ingest/records/parse_record.h"
#include "indexer/invert/in_memory_postings.h"
#include "indexer/invert/inverter.h"
#include "indexer/pipeline/inverted_documents.h"
#include "indexer/pipeline/memory.h"
#include "indexer/runs/posting_slices.h"

namespace frond::indexer::pipeline {

// The postings of all partitions, where none were written to runs: one of the first two is set, or none.
struct UnspilledPostings {
  std::unique_ptr<runs::PostingSlices> on_device;
  std::vector<std::unique_ptr<invert::InMemoryPostings>> in_memory;  // one for each inverter
  std::uint64_t bytes = 0;                                           // of the host's memory
  bool empty() const { return on_device == nullptr && in_memory.empty(); }
};

struct InvertOptions {
  std::vector<std::filesystem::path> inputs;
  const ingest::SourceFormat* format = nullptr;  // null: recognised file by file
  ingest::ReadOptions read;
  ingest::ParseOptions parse;
  text::AnalyzerConfig analyzer;
  std::uint32_t partitions = 1;
  std::uint64_t max_bad_records = 0;
  const invert::InverterKind* inverter = invert::inverter_with(invert::kUsualCpuDictionary);
  const invert::InverterKind* gpu_inverter = nullptr;       // where the plan has such inverters
  const invert::TextInverterKind* text_inverter = nullptr;  // in place of all others, where the plan says so
  invert::GpuMemory gpu{};                                  // of each
  MemoryPlan memory;                                        // also the numbers of threads
  invert::AroundInverter around_inverter;                   // empty: the inverters as they are
  CheckpointOptions checkpoints;
  // Set to the postings of the build if they may stay where they are (MemoryPlan::unspilled), since memory is enough
  // for all partitions to be written at once. There are no runs then. Null: all postings are written to runs.
  UnspilledPostings* unspilled = nullptr;
};

// For a progress line. Written by the pipeline, read by any thread.
struct InvertProgress {
  std::atomic<std::uint64_t> bytes = 0;         // decompressed
  std::atomic<std::uint64_t> stored_bytes = 0;  // read of stored_total
  std::atomic<std::uint64_t> stored_total = 0;
  std::atomic<std::uint64_t> documents = 0;
  std::atomic<std::uint64_t> bad_records = 0, duplicates = 0;
  std::array<std::atomic<std::uint64_t>, ingest::kSkipReasons> skipped{};          // files, by SkipReason
  std::array<std::atomic<std::uint64_t>, ingest::kSkipReasons> skipped_records{};  // the same of records
  std::atomic<bool> reading = false;  // false: it looks for the place where a killed build left off
};

// Writes into `folder`, which exists. kInvalid: wrong inputs, or too many bad records; kUnavailable: the disk, or
// stopped; kDevice: a GPU has failed, and postings of texts are lost since the last checkpoint; and the errors of
// RecordReader. kCorrupt before progress.reading is set: `folder` or the inputs are not what
// options.checkpoints.from says.
// REQUIRES: with checkpoints.from, checkpoints.every > 0, and as many partitions as the build before had.
Result<InvertedDocuments> invert_documents(const InvertOptions& options, const std::filesystem::path& folder,
                                           InvertProgress& progress, Logger& logger, std::stop_token stop);

}  // namespace frond::indexer::pipeline
