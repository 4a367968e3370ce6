#include "indexer/runs/scratch_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace frond::indexer::runs {
namespace {

Error unavailable(const std::filesystem::path& path) {
  return Error(Code::kUnavailable, path.string() + ": " + std::strerror(errno));
}

Result<void> write_all(int file, ByteView bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return unavailable(path);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

ScratchWriter::ScratchWriter(std::filesystem::path path, int file, std::size_t buffer_bytes)
    : path_(std::move(path)), file_(file), buffer_bytes_(buffer_bytes) {}
ScratchWriter::ScratchWriter(ScratchWriter&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      buffer_bytes_(other.buffer_bytes_),
      buffer_(std::move(other.buffer_)),
      bytes_(other.bytes_) {}
ScratchWriter& ScratchWriter::operator=(ScratchWriter&& other) noexcept {
  path_.swap(other.path_);
  std::swap(file_, other.file_);
  std::swap(buffer_bytes_, other.buffer_bytes_);
  buffer_.swap(other.buffer_);
  std::swap(bytes_, other.bytes_);
  return *this;
}
ScratchWriter::~ScratchWriter() {
  if (file_ >= 0) ::close(file_);
}

Result<ScratchWriter> ScratchWriter::create(const std::filesystem::path& path, std::size_t buffer_bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return unavailable(path);
  return ScratchWriter(path, file, buffer_bytes);
}

Result<void> ScratchWriter::append(ByteView bytes) {
  bytes_ += bytes.size();
  if (buffer_.size() + bytes.size() > buffer_bytes_) {
    FROND_TRY(flush());
    if (bytes.size() >= buffer_bytes_) return write_all(file_, bytes, path_);
  }
  if (buffer_.capacity() == 0) buffer_.reserve(buffer_bytes_);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return {};
}

Result<void> ScratchWriter::flush() {
  FROND_TRY(write_all(file_, buffer_, path_));
  buffer_.clear();
  return {};
}

ScratchReader::ScratchReader(std::filesystem::path path, int file, std::uint64_t size)
    : path_(std::move(path)), file_(file), size_(size) {}
ScratchReader::ScratchReader(ScratchReader&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), size_(other.size_), at_(other.at_) {}
ScratchReader& ScratchReader::operator=(ScratchReader&& other) noexcept {
  path_.swap(other.path_);
  std::swap(file_, other.file_);
  std::swap(size_, other.size_);
  std::swap(at_, other.at_);
  return *this;
}
ScratchReader::~ScratchReader() {
  if (file_ >= 0) ::close(file_);
}

Result<ScratchReader> ScratchReader::open(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return unavailable(path);
  ScratchReader reader(path, file, 0);
  struct stat status {};
  if (::fstat(file, &status) != 0) return unavailable(path);
  reader.size_ = static_cast<std::uint64_t>(status.st_size);
  return reader;
}

Error ScratchReader::corrupt(const std::string& what) const {
  return Error(Code::kCorrupt, path_.string() + " at byte " + std::to_string(at_) + ": " + what);
}

Result<void> ScratchReader::read(std::span<std::byte> out) {
  if (out.size() > left()) return corrupt("the file ends too early");
  while (!out.empty()) {
    const ssize_t got = ::pread(file_, out.data(), out.size(), static_cast<off_t>(at_));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unavailable(path_);
    if (got == 0) return corrupt("the file ends too early");
    at_ += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Result<void> ScratchReader::skip(std::uint64_t bytes) {
  if (bytes > left()) return corrupt("the file ends too early");
  at_ += bytes;
  return {};
}

}  // namespace frond::indexer::runs
