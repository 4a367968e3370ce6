#pragma once
// A place between two records of the inputs, at which another reader of the same inputs can go on. With it, all that
// the first reader had counted there.
#include <cstdint>
#include <vector>

#include "indexer/ingest/skipped.h"

namespace frond::indexer::ingest {

// How many files were opened, by their format's place in source_formats().
using FilesRead = std::vector<std::uint64_t>;

struct ReadPosition {
  std::uint64_t files = 0;  // walked past, in the share or not; the last one is at hand; 0: the beginning
  // Of the file at hand:
  std::uint64_t cuts = 0;    // records, and records that could not be cut
  std::uint64_t offset = 0;  // of the first byte behind them, in the decompressed content
  // Of the files before it that were opened: bytes of content, and of the files.
  std::uint64_t plain_before = 0, stored_before = 0;
  FilesRead files_read;
  Skipped skipped, skipped_records;

  std::uint64_t bytes() const { return plain_before + offset; }  // decompressed
};

}  // namespace frond::indexer::ingest
