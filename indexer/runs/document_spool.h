#pragma once
// The stored fields of one partition's documents in docID order, from when they are numbered to when the partition is
// written: a file of frames. A PartitionWriter is dear to keep open for every partition at once, and needs the average
// length, which is known at the end only.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "common/base/result.h"
#include "indexer/runs/document_frame.h"
#include "indexer/runs/scratch_file.h"

namespace frond::indexer::runs {

inline constexpr std::uint32_t kSpoolMagic = 0x4c505346;  // "FSPL"
inline constexpr std::uint32_t kSpoolVersion = 1;

// One thread.
class SpoolWriter {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
  static Result<SpoolWriter> create(const std::filesystem::path& path, std::size_t buffer_bytes = kBufferBytes);
  // A frame of DocumentFrameWriter; empty: nothing.
  Result<void> append(ByteView frame);
  Result<void> finish() { return file_.flush(); }

 private:
  explicit SpoolWriter(ScratchWriter file) : file_(std::move(file)) {}
  ScratchWriter file_;
};

// One thread. Holds nothing of long frames beside what it gives. Errors name the file: kCorrupt, kUnavailable.
class SpoolReader {
 public:
  static Result<SpoolReader> open(const std::filesystem::path& path);
  // Bytes of the next frame's fields; 0 at the end.
  Result<std::uint64_t> next_bytes();
  // The next frame; nothing at the end.
  Result<std::optional<DocumentFrame>> next();
  // The lengths of all documents in docID order, without reading the fields.
  static Result<std::vector<std::uint32_t>> read_lengths(const std::filesystem::path& path);

 private:
  explicit SpoolReader(ScratchReader file) : file_(std::move(file)) {}
  Result<DocumentFrameHeader> next_header();
  ScratchReader file_;
  std::optional<DocumentFrameHeader> header_;  // of the next frame, where it was read already
  ByteBuffer payload_;
};

}  // namespace frond::indexer::runs
