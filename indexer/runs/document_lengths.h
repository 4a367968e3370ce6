#pragma once
// The lengths of one partition's documents in terms, where they are found later than the stored fields: a file beside
// the spool, whose own lengths are 0 then. Layout: docs/formats/run-file.md, "Lengths beside a spool".
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/runs/scratch_file.h"

namespace frond::indexer::runs {

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

}  // namespace frond::indexer::runs
