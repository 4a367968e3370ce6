#pragma once
// Runs: the postings of one partition that one inverter had in memory, terms in byte order, written and read a frame at
// a time. Format: docs/formats/run-file.md.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/runs/scratch_file.h"

namespace frond::indexer::runs {

inline constexpr std::uint32_t kRunMagic = 0x4e555246;  // "FRUN"
inline constexpr std::uint32_t kRunVersion = 1;
inline constexpr std::size_t kRunHeaderBytes = 16;    // magic, version, partition, 0
inline constexpr std::size_t kFrameHeaderBytes = 16;  // payload bytes, records, XXH3-64 of the payload
inline constexpr std::size_t kFramePayloadBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMaxRecordPostings = 1024;  // bounds what a reader holds of a record
inline constexpr std::size_t kRunTrailerBytes = 16;      // records, postings: the payload of the last frame
inline constexpr std::size_t kMaxRunTermBytes = 1024;

// ByteWriter::put_varint() for memory that the caller has reserved: up to 10 bytes. Returns the end.
inline std::byte* store_varint(std::byte* to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::byte>(value | 0x80);
  *to++ = static_cast<std::byte>(value);
  return to;
}

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
  // Frames have at most `frame_bytes`: smaller if many runs are open.
  // REQUIRES: kMinFrameBytes <= frame_bytes <= kFramePayloadBytes.
  static Result<RunWriter> create(const std::filesystem::path& path, std::uint32_t partition,
                                  std::size_t frame_bytes = kFramePayloadBytes);

  // Adds postings of a term. Errors: kUnavailable, the disk.
  // REQUIRES: terms ascend, have at most kMaxRunTermBytes, and the same term follows with higher docIDs only; docIDs
  // ascend strictly and are below kNoDoc; as many frequencies, each at least 1.
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

// The records of one frame; accepts any bytes. next() checks all that its caller relies on: terms do not descend,
// docIDs ascend strictly and are below kNoDoc, frequencies are at least 1. Borrows the payload. One thread.
class RunFrame {
 public:
  // `payload` has at most kFramePayloadBytes.
  void start(ByteView payload, std::uint32_t records) {
    in_ = payload;
    left_ = records;
    term_.clear();
  }
  // Moves to the next record; false at the end of the frame. kCorrupt: the message says what is wrong.
  Result<bool> next();
  // The record at hand; valid until the next call of next().
  std::string_view term() const { return term_; }
  std::span<const DocId> docids() const { return docids_; }
  std::span<const Frequency> frequencies() const { return frequencies_; }

 private:
  Result<void> read_postings(std::uint64_t count);
  ByteView in_;
  std::uint32_t left_ = 0;
  std::string term_;
  std::vector<DocId> docids_;
  std::vector<Frequency> frequencies_;
};

// One thread. Holds a frame, a record's postings and its term: under 80 KiB. Errors name the file: kCorrupt,
// kUnavailable.
class RunReader {
 public:
  static Result<RunReader> open(const std::filesystem::path& path, std::uint32_t partition);
  // Moves to the next record; false after the last one, if the trailer agrees with what was read.
  Result<bool> next();
  std::string_view term() const { return frame_.term(); }
  std::span<const DocId> docids() const { return frame_.docids(); }
  std::span<const Frequency> frequencies() const { return frame_.frequencies(); }
  Error corrupt(const std::string& what) const { return file_.corrupt(what); }

 private:
  explicit RunReader(ScratchReader file) : file_(std::move(file)) {}
  Result<bool> read_frame();
  Result<void> read_trailer();
  ScratchReader file_;
  ByteBuffer payload_;
  RunFrame frame_;
  std::string last_term_;  // of the frame before
  bool ended_ = false;
  std::uint64_t records_ = 0, postings_ = 0;
};

}  // namespace frond::indexer::runs
