#include "indexer/runs/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "common/files/read.h"
#include "common/files/write.h"

namespace frond::indexer::runs {

ScratchWriter::ScratchWriter(std::filesystem::path path, files::Descriptor file, std::size_t buffer_bytes)
    : path_(std::move(path)), file_(std::move(file)), buffer_bytes_(buffer_bytes) {}

Result<ScratchWriter> ScratchWriter::create(const std::filesystem::path& path, std::size_t buffer_bytes) {
  return ScratchWriter(path, FROND_TRY(files::open(path, O_WRONLY | O_CREAT | O_TRUNC)), buffer_bytes);
}

Result<ScratchWriter> ScratchWriter::append_to(const std::filesystem::path& path, std::uint64_t bytes,
                                               std::size_t buffer_bytes) {
  auto file = files::open(path, O_WRONLY | O_APPEND);
  if (!file && file.error().code() == Code::kNotFound) return Error(Code::kCorrupt, file.error().message());
  if (!file) return std::move(file).error();
  ScratchWriter writer(path, *std::move(file), buffer_bytes);
  const std::uint64_t size = FROND_TRY(files::size_of(writer.file_, path));
  if (size < bytes)
    return Error(Code::kCorrupt,
                 path.string() + ": " + std::to_string(size) + " bytes instead of at least " + std::to_string(bytes));
  if (::ftruncate(writer.file_.get(), static_cast<off_t>(bytes)) != 0)
    return files::system_error(Code::kUnavailable, "shortening", path);
  writer.bytes_ = bytes;
  return writer;
}

Result<void> ScratchWriter::append(ByteView bytes) {
  bytes_ += bytes.size();
  if (buffer_.size() + bytes.size() > buffer_bytes_) {
    FROND_TRY(flush());
    if (bytes.size() >= buffer_bytes_) return files::write_all(file_, bytes, path_);
  }
  if (buffer_.capacity() == 0) buffer_.reserve(buffer_bytes_);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return {};
}

Result<void> ScratchWriter::flush() {
  FROND_TRY(files::write_all(file_, buffer_, path_));
  buffer_.clear();
  return {};
}

ScratchReader::ScratchReader(std::filesystem::path path, files::Descriptor file, std::uint64_t size)
    : path_(std::move(path)), file_(std::move(file)), size_(size) {}

Result<ScratchReader> ScratchReader::open(const std::filesystem::path& path) {
  auto file = files::open(path, O_RDONLY);
  if (!file) return Error(Code::kUnavailable, file.error().message());
  const std::uint64_t size = FROND_TRY(files::size_of(*file, path));
  return ScratchReader(path, *std::move(file), size);
}

Error ScratchReader::corrupt(const std::string& what) const {
  return Error(Code::kCorrupt, path_.string() + " at byte " + std::to_string(at_) + ": " + what);
}

Result<void> ScratchReader::read(std::span<std::byte> out) {
  if (out.size() > left()) return corrupt("the file ends too early");
  const std::size_t got = FROND_TRY(files::read_at(file_, at_, out, path_));
  at_ += got;
  return got == out.size() ? Result<void>() : corrupt("the file ends too early");
}

Result<void> ScratchReader::skip(std::uint64_t bytes) {
  if (bytes > left()) return corrupt("the file ends too early");
  at_ += bytes;
  return {};
}

}  // namespace frond::indexer::runs
