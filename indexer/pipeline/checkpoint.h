#pragma once
// What the first half of a build needs to go on where another one was killed: everything that the pipeline knows behind
// one batch. All runs and spools up to there are written, by inverters that may be taking later batches. With it, a
// build of the same inputs and options gives the same index to the byte, whatever its number of threads.
#include <cstdint>
#include <functional>
#include <string>

#include "common/base/result.h"
#include "indexer/ingest/files/record_reader.h"
#include "indexer/pipeline/inverted_documents.h"

namespace frond::indexer::pipeline {

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
