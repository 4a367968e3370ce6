#pragma once
// Writes one run: the postings of one partition that one inverter had in memory, terms in byte order.
// Format: docs/formats/run-file.md.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/runs/scratch_file.h"

namespace frond::indexer {

// A finished run.
struct RunFile {
  std::filesystem::path path;
  std::uint32_t partition = 0;
  std::uint64_t postings = 0;
  std::uint64_t bytes = 0;
};

// One thread. Holds two frames, 128 KiB.
class RunWriter {
 public:
  static Result<RunWriter> create(const std::filesystem::path& path, std::uint32_t partition);

  // Postings of a term: terms ascend, or are the one before again with later docIDs. docIDs ascend strictly and are
  // below kNoDoc, as many frequencies, each at least 1. Errors: kUnavailable, the disk.
  Result<void> add(std::string_view term, std::span<const DocId> docids, std::span<const Frequency> frequencies);
  Result<RunFile> finish();

 private:
  RunWriter(ScratchWriter file, std::uint32_t partition) : file_(std::move(file)), partition_(partition) {}
  Result<void> end_frame();

  ScratchWriter file_;
  std::uint32_t partition_;
  ByteBuffer payload_;  // of the frame at hand
  std::uint32_t frame_records_ = 0;
  std::string last_term_;  // in this frame
  ByteBuffer record_;      // where the postings of a record are coded
  std::uint64_t records_ = 0, postings_ = 0;
};

}  // namespace frond::indexer
