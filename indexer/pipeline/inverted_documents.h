#pragma once
// What the first half of a build has made: runs and spools, for the second half.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "indexer/ingest/files/input_list.h"
#include "indexer/ingest/files/record_reader.h"
#include "indexer/ingest/files/skipped.h"
#include "indexer/pipeline/field_sample.h"

namespace frond::indexer::pipeline {

// Records that gave no document, and documents that are not as they were given.
struct RefusedRecords {
  std::uint64_t bad_records = 0, duplicates = 0;
  std::string last_bad;  // the last bad record, as to_string(BadRecord); empty: none yet
  ingest::Tally titles_cut, urls_dropped, not_utf8, values_left_out, impacts_cut;
};

struct InvertedDocuments : RefusedRecords {
  struct Part {
    std::vector<std::filesystem::path> runs;  // of two with the same term, the earlier has the lower docIDs
    std::filesystem::path spool;
    std::uint64_t spool_bytes = 0;
  };
  std::vector<Part> partitions;
  FieldSample sample;          // of the stored fields
  ingest::InputSummary input;  // of all inputs, in the share or not
  ingest::FilesRead files_read;
  ingest::Skipped skipped, skipped_records;
  std::string order;  // the documents' order, by its name, if it was changed or chosen; empty: the input's
  std::uint64_t documents = 0, tokens = 0, bytes = 0, runs = 0, run_bytes = 0;
  std::uint64_t resumed_documents = 0;  // of these, what a killed build had inverted
  // Processor time of all threads of a kind.
  double read_seconds = 0, parse_seconds = 0, sequence_seconds = 0, spool_seconds = 0, invert_seconds = 0;
};

// What the first half of a build needs to go on where another one was killed: everything that the pipeline knows behind
// one batch. All runs and spools up to there are written, by inverters that may be taking later batches. With it, a
// build of the same inputs and options gives the same index to the byte, whatever its number of threads.

struct Checkpoint {
  ingest::ReadPosition position;
  // Up to the position. `input` is not set, and seconds are those of this process.
  InvertedDocuments so_far;
  std::string ids_xxh3;  // of the ids of the documents so far, which kIdsName has
};

// The scratch file of ids.
inline constexpr const char* kIdsName = "ids";

struct CheckpointOptions {
  // Bytes of input, decompressed, between checkpoints; 0: none are made, and no ids are logged.
  std::uint64_t every = 0;
  // Called from the sequencer's thread; the files that the checkpoint names are written, not synced. It may return
  // before the checkpoint is on the disk. An error ends the build.
  std::function<Result<void>(Checkpoint)> save;
  const Checkpoint* from = nullptr;  // where to go on; null: at the beginning
  // How often builds went on with this one before; begins the names of runs, so that no run is written twice.
  std::uint32_t session = 0;
};

}  // namespace frond::indexer::pipeline
