#pragma once
// Files, durably: what both reading and writing a repository need. Internal to this folder.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"

namespace frond::repository {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// errno, as an error: kNotFound for ENOENT, else kUnavailable.
Error system_error(std::string_view doing, const std::filesystem::path& what);
Result<void> write_all(const FileDescriptor& file, ByteView bytes, const std::filesystem::path& name);
// From byte `from` to the end.
Result<void> read_file(const std::filesystem::path& file, const std::function<Result<void>(ByteView)>& sink,
                       std::uint64_t from = 0);
// Written, synced; not renamed.
Result<void> write_synced(const std::filesystem::path& file, std::string_view text);
// kInvalid: the file is not there, or of another size; kUnavailable: the disk does not tell.
Result<void> expect_size(const std::filesystem::path& file, std::uint64_t bytes);
Result<void> sync_folder(const std::filesystem::path& folder);
Result<void> rename_path(const std::filesystem::path& from, const std::filesystem::path& to);
// The one line of CURRENT.
Result<Generation> parse_current(std::string_view text);

}  // namespace frond::repository
