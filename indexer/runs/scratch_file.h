#pragma once
// Temporary files of a build: written and read from front to back.
#include <cstdint>
#include <filesystem>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"

namespace frond::indexer::runs {

// Writes through a buffer. Not synced: what a later build may go on with is synced when a journal is to name it
// (indexer/resume). Errors: kUnavailable; messages name the file.
class ScratchWriter {
 public:
  static Result<ScratchWriter> create(const std::filesystem::path& path, std::size_t buffer_bytes);
  // Goes on behind the first `bytes` of a file, and cuts off what follows them. kCorrupt: the file is shorter, or there
  // is none.
  static Result<ScratchWriter> append_to(const std::filesystem::path& path, std::uint64_t bytes,
                                         std::size_t buffer_bytes);
  Result<void> append(ByteView bytes);
  Result<void> flush();
  std::uint64_t bytes() const { return bytes_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  ScratchWriter(std::filesystem::path path, files::Descriptor file, std::size_t buffer_bytes);
  std::filesystem::path path_;
  files::Descriptor file_;
  std::size_t buffer_bytes_;
  ByteBuffer buffer_;
  std::uint64_t bytes_ = 0;  // appended
};

// Reads whole pieces. Errors: kUnavailable; kCorrupt: the file ends inside a piece. Messages name the file.
class ScratchReader {
 public:
  static Result<ScratchReader> open(const std::filesystem::path& path);
  // Fills all of `out`.
  Result<void> read(std::span<std::byte> out);
  Result<void> skip(std::uint64_t bytes);
  std::uint64_t left() const { return size_ - at_; }
  Error corrupt(const std::string& what) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  ScratchReader(std::filesystem::path path, files::Descriptor file, std::uint64_t size);
  std::filesystem::path path_;
  files::Descriptor file_;
  std::uint64_t size_ = 0, at_ = 0;
};

}  // namespace frond::indexer::runs
