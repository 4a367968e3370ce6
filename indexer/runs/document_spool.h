#pragma once
// The stored fields of one partition's documents in docID order: a file of frames, which keeps them from the time that
// they are numbered until the partition is written. Partitions are not written at once, since a PartitionWriter for
// each would take much memory, and it needs the average document length, which is only known at the end.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/runs/document_frame.h"
#include "indexer/runs/scratch_file.h"

namespace frond::indexer::runs {

// Fields that are read from a spool. As a ByteBuffer, except that new room is not cleared: all of a spool passes
// through here, and clearing takes a third of the time that reading it takes. One thread, or many that only read.
class FieldBuffer {
 public:
  // Room for so many bytes behind the others, for the caller to fill. Moves the others if there is too little.
  std::span<std::byte> grow(std::size_t bytes) {
    const std::size_t needed = size_ + bytes;
    // Long buffers have the size that is needed, since one that doubles would take twice its size.
    if (needed > capacity_) move_to(needed > kLongBytes ? needed : std::bit_ceil(std::max(needed, kMinBytes)));
    const std::span<std::byte> room(bytes_.get() + size_, bytes);
    size_ = needed;
    return room;
  }
  // As many bytes as there are, or more, stay allocated.
  void drop_last(std::size_t bytes) { size_ -= bytes; }
  ByteView view() const { return {bytes_.get(), size_}; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kMinBytes = std::size_t{256} << 10, kLongBytes = std::size_t{4} << 20;
  void move_to(std::size_t capacity) {
    auto larger = std::make_unique_for_overwrite<std::byte[]>(capacity);
    if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
    capacity_ = capacity;
  }
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0, capacity_ = 0;
};

// The lengths of one partition's documents in terms, where they are found later than the stored fields: a file beside
// the spool, whose own lengths are 0 then. Layout: docs/formats/run-file.md, "Lengths beside a spool".

inline constexpr std::uint32_t kLengthsMagic = 0x4e454c46;  // "FLEN"
inline constexpr std::uint32_t kLengthsVersion = 1;

// Where the lengths of a spool's documents are, if they are not in it.
std::filesystem::path lengths_path(const std::filesystem::path& spool);

// One thread. Errors: kUnavailable; the message names the file.
class LengthsWriter {
 public:
  static Result<LengthsWriter> create(const std::filesystem::path& spool, std::size_t buffer_bytes);
  // Goes on with what a killed build wrote: with so many lengths, behind which it flushed. Cuts off what follows. Also
  // kCorrupt: there are fewer, or damage.
  static Result<LengthsWriter> append_to(const std::filesystem::path& spool, std::uint64_t lengths,
                                         std::size_t buffer_bytes);
  // Of the next document.
  Result<void> add(std::uint32_t length);
  // Writes the buffers.
  Result<void> flush();

 private:
  LengthsWriter(ScratchWriter file, std::size_t buffer_bytes);
  Result<void> end_frame();
  ScratchWriter file_;
  std::size_t most_;  // lengths of a frame
  std::vector<std::uint32_t> frame_;
};

// One thread. Errors: kCorrupt, kUnavailable; messages name the file.
class LengthsReader {
 public:
  static Result<LengthsReader> open(const std::filesystem::path& path);
  // No value: the spool has its lengths itself.
  static Result<std::optional<LengthsReader>> open_beside(const std::filesystem::path& spool);
  // Fills all of `lengths` with those of the next documents. kCorrupt also if there are fewer.
  Result<void> read(std::span<std::uint32_t> lengths);
  // Reads so many lengths, which end with a frame, and returns the byte of the file behind them.
  Result<std::uint64_t> find_end(std::uint64_t lengths);

 private:
  explicit LengthsReader(ScratchReader file) : file_(std::move(file)) {}
  Result<void> next_frame();
  ScratchReader file_;
  std::vector<std::uint32_t> frame_;
  std::size_t at_ = 0;
};

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
  // A frame of these parts; of no documents nothing.
  Result<void> append(FrameParts parts);
  // Writes the buffer. More frames may follow.
  Result<void> finish() { return file_.flush(); }
  std::uint64_t bytes() const { return file_.bytes(); }

 private:
  explicit SpoolWriter(ScratchWriter file) : file_(std::move(file)) {}
  ScratchWriter file_;
};

struct SpoolContents {
  std::vector<std::uint32_t> lengths;  // of all documents in docID order
  std::uint64_t field_bytes = 0;       // of all documents, and their values
};

// One thread. Errors, kCorrupt and kUnavailable, name the file. Lengths are those of the file beside the spool, if
// there is one (LengthsReader).
class SpoolReader {
 public:
  static Result<SpoolReader> open(const std::filesystem::path& path);
  // The bytes of the next frame's fields and values; 0 at the end.
  Result<std::uint64_t> next_bytes();
  // The next frame; no value at the end.
  Result<std::optional<DocumentFrame>> next();
  // What append_next() appends to.
  struct Documents {
    FieldBuffer fields;
    std::vector<std::uint32_t> lengths;
    std::vector<scoring::Prior> priors;      // of all documents
    ByteBuffer values;                       // behind each other
    std::vector<std::uint32_t> value_sizes;  // of all documents
  };
  // Appends the next frame's parts, checked by their checksum; fields and values are not looked at. False: there is no
  // frame left, and nothing is appended.
  Result<bool> append_next(Documents& to);
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
