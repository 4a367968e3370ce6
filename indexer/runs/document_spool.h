#pragma once
// The stored fields of one partition's documents in docID order: a file of frames, which keeps them from the time that
// they are numbered until the partition is written. Partitions are not written at once, since a PartitionWriter for
// each would take much memory, and it needs the average document length, which is only known at the end.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "common/base/result.h"
#include "indexer/runs/document_frame.h"
#include "indexer/runs/document_lengths.h"
#include "indexer/runs/field_buffer.h"
#include "indexer/runs/scratch_file.h"

namespace frond::indexer::runs {

inline constexpr std::uint32_t kSpoolMagic = 0x4c505346;  // "FSPL"
inline constexpr std::uint32_t kSpoolVersion = 2;

// One thread.
class SpoolWriter {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
  static Result<SpoolWriter> create(const std::filesystem::path& path, std::size_t buffer_bytes = kBufferBytes);
  // Goes on behind the first `bytes` of a spool, which end with a frame; see ScratchWriter::append_to(). kCorrupt also
  // if it does not begin as a spool.
  static Result<SpoolWriter> append_to(const std::filesystem::path& path, std::uint64_t bytes,
                                       std::size_t buffer_bytes = kBufferBytes);
  // Appends a frame of DocumentFrameWriter; an empty one adds nothing.
  Result<void> append(ByteView frame);
  Result<void> append(const ScatteredFrame& frame);
  // Writes the buffer. More frames may follow.
  Result<void> finish() { return file_.flush(); }
  std::uint64_t bytes() const { return file_.bytes(); }

 private:
  explicit SpoolWriter(ScratchWriter file) : file_(std::move(file)) {}
  ScratchWriter file_;
};

struct SpoolContents {
  std::vector<std::uint32_t> lengths;  // of all documents in docID order
  std::uint64_t field_bytes = 0;       // of all documents
};

// One thread. Errors, kCorrupt and kUnavailable, name the file. Lengths are those of the file beside the spool, if
// there is one (document_lengths.h).
class SpoolReader {
 public:
  static Result<SpoolReader> open(const std::filesystem::path& path);
  // The bytes of the next frame's fields; 0 at the end.
  Result<std::uint64_t> next_bytes();
  // The next frame; no value at the end.
  Result<std::optional<DocumentFrame>> next();
  // Appends the next frame's fields, lengths and priors, checked by their checksum; the fields are not looked at.
  // False: there is no frame left, and nothing is appended.
  Result<bool> append_next(FieldBuffer& fields, std::vector<std::uint32_t>& lengths,
                           std::vector<scoring::Prior>& priors);
  // What a spool holds, found without reading the fields.
  static Result<SpoolContents> read_contents(const std::filesystem::path& path);

 private:
  explicit SpoolReader(ScratchReader file) : file_(std::move(file)) {}
  Result<DocumentFrameHeader> next_header();
  ScratchReader file_;
  std::optional<LengthsReader> lengths_;
  std::optional<DocumentFrameHeader> header_;  // of the next frame, if it has been read
};

}  // namespace frond::indexer::runs
