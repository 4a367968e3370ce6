#include "common/repository/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

namespace frond::repository {

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Error system_error(std::string_view doing, const std::filesystem::path& what) {
  const int number = errno;
  return {number == ENOENT ? Code::kNotFound : Code::kUnavailable,
          std::string(doing) + " " + what.string() + ": " + std::strerror(number)};
}

Result<void> write_all(const FileDescriptor& file, ByteView bytes, const std::filesystem::path& name) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("writing", name);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> read_file(const std::filesystem::path& file, const std::function<Result<void>(ByteView)>& sink,
                       std::uint64_t from) {
  const FileDescriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!in.valid()) return system_error("opening", file);
  if (from > 0 && ::lseek(in.get(), static_cast<off_t>(from), SEEK_SET) < 0) return system_error("reading", file);
  constexpr std::size_t kPieceBytes = 256u << 10;
  const auto piece = std::make_unique_for_overwrite<std::byte[]>(kPieceBytes);  // small files are read every second
  for (;;) {
    const ssize_t got = ::read(in.get(), piece.get(), kPieceBytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("reading", file);
    if (got == 0) return {};
    FROND_TRY(sink({piece.get(), static_cast<std::size_t>(got)}));
  }
}

Result<void> write_synced(const std::filesystem::path& file, std::string_view text) {
  const FileDescriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!out.valid()) return system_error("creating", file);
  FROND_TRY(write_all(out, as_bytes(text), file));
  if (::fsync(out.get()) != 0) return system_error("syncing", file);
  return {};
}

Result<void> expect_size(const std::filesystem::path& file, std::uint64_t bytes) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(file, failed);
  if (failed) {
    const bool absent = failed == std::errc::no_such_file_or_directory || failed == std::errc::not_a_directory;
    return Error(absent ? Code::kInvalid : Code::kUnavailable, file.string() + ": " + failed.message());
  }
  if (size == bytes) return {};
  return Error(Code::kInvalid,
               file.string() + ": " + std::to_string(size) + " bytes instead of " + std::to_string(bytes));
}

Result<void> sync_folder(const std::filesystem::path& folder) {
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.valid()) return system_error("opening", folder);
  if (::fsync(opened.get()) != 0) return system_error("syncing", folder);
  return {};
}

Result<void> rename_path(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return system_error("renaming to " + to.string(), from);
  return {};
}

Result<Generation> parse_current(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  Generation generation = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), generation);
  if (failed != std::errc() || end != text.data() + text.size() || generation == 0)
    return Error(Code::kCorrupt, "CURRENT does not hold a generation's number");
  return generation;
}

}  // namespace frond::repository
