#pragma once
// Reads one run, a frame at a time. Accepts any bytes.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/runs/scratch_file.h"

namespace frond::indexer::runs {

// The records of one frame. next() checks all that its caller relies on: terms do not descend, docIDs ascend strictly
// and are below kNoDoc, frequencies are at least 1. Borrows the payload. One thread.
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
