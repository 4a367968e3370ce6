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
#include "indexer/runs/run_format.h"
#include "indexer/runs/scratch_file.h"

namespace frond::indexer::runs {

// A finished run.
struct RunFile {
  std::filesystem::path path;
  std::uint32_t partition = 0;
  std::uint64_t postings = 0;
  std::uint64_t bytes = 0;
};

// One thread. Holds a frame, and a record of at most kRecordBytes.
class RunWriter {
 public:
  static constexpr std::size_t kRecordBytes = std::size_t{10} << 10;
  // The smallest frame size: a record of the longest term fits.
  static constexpr std::size_t kMinFrameBytes = std::size_t{4} << 10;
  // Frames have at most `frame_bytes`, which is kMinFrameBytes .. kFramePayloadBytes: smaller if many runs are open.
  static Result<RunWriter> create(const std::filesystem::path& path, std::uint32_t partition,
                                  std::size_t frame_bytes = kFramePayloadBytes);

  // Adds postings of a term. Terms ascend; the same term may follow with higher docIDs. docIDs ascend strictly and are
  // below kNoDoc; there are as many frequencies, each at least 1. Errors: kUnavailable, the disk.
  Result<void> add(std::string_view term, std::span<const DocId> docids, std::span<const Frequency> frequencies);
  Result<RunFile> finish();

 private:
  RunWriter(ScratchWriter file, std::uint32_t partition, std::size_t frame_bytes)
      : file_(std::move(file)), partition_(partition), frame_bytes_(kFrameHeaderBytes + frame_bytes) {}
  void start_frame();
  std::byte* begin_record(std::string_view term, std::size_t postings);
  Result<void> end_frame();

  ScratchWriter file_;
  std::uint32_t partition_;
  std::size_t frame_bytes_;  // limit of frame_
  ByteBuffer frame_;         // frame_bytes_: the frame at hand
  std::size_t used_ = 0;     // of it: space for its header, and its payload so far
  std::uint32_t frame_records_ = 0;
  std::string last_term_;  // in this frame
  ByteBuffer record_;      // buffer for the coded postings of a record whose number is not known yet
  std::uint64_t records_ = 0, postings_ = 0;
};

}  // namespace frond::indexer::runs
