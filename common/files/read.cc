#include "common/files/read.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <system_error>
#include <utility>

namespace frond::files {
namespace {

Result<std::string> whole(const Descriptor& in, const std::filesystem::path& path, std::size_t max_bytes,
                          Code too_large) {
  std::string text;
  FROND_TRY(read_file(in, path, [&](ByteView piece) -> Result<void> {
    if (piece.size() > max_bytes - text.size())
      return Error(too_large, path.string() + ": larger than " + std::to_string(max_bytes) + " bytes");
    text += as_text(piece);
    return {};
  }));
  return text;
}

// Appends to `entries` until the end or an error.
std::error_code read_entries(const std::filesystem::path& folder, std::vector<std::filesystem::path>& entries) {
  std::error_code failed;
  std::filesystem::directory_iterator at(folder, failed);
  for (; !failed && at != std::filesystem::directory_iterator(); at.increment(failed)) entries.push_back(at->path());
  return failed;
}

}  // namespace

Result<std::vector<std::filesystem::path>> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  const std::error_code failed = read_entries(folder, entries);
  if (!failed) return entries;
  return Error(failed == std::errc::no_such_file_or_directory ? Code::kNotFound : Code::kUnavailable,
               "reading " + folder.string() + ": " + failed.message());
}

std::vector<std::filesystem::path> some_entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  static_cast<void>(read_entries(folder, entries));
  return entries;
}

Result<void> read_file(const Descriptor& in, const std::filesystem::path& path,
                       const std::function<Result<void>(ByteView)>& sink, std::uint64_t from) {
  if (from > 0 && ::lseek(in.get(), static_cast<off_t>(from), SEEK_SET) < 0)
    return system_error(Code::kUnavailable, "reading", path);
  constexpr std::size_t kPieceBytes = 256u << 10;
  const auto piece =
      std::make_unique_for_overwrite<std::byte[]>(kPieceBytes);  // not cleared: small files are read every second
  for (;;) {
    const ssize_t got = TEMP_FAILURE_RETRY(::read(in.get(), piece.get(), kPieceBytes));
    if (got < 0) return system_error(Code::kUnavailable, "reading", path);
    if (got == 0) return {};
    FROND_TRY(sink({piece.get(), static_cast<std::size_t>(got)}));
  }
}

Result<void> read_file(const std::filesystem::path& path, const std::function<Result<void>(ByteView)>& sink,
                       std::uint64_t from) {
  return read_file(FROND_TRY(open(path, O_RDONLY)), path, sink, from);
}

Result<std::string> read_text(const std::filesystem::path& path, std::size_t max_bytes) {
  return whole(FROND_TRY(open(path, O_RDONLY)), path, max_bytes, Code::kCorrupt);
}

Result<std::string> read_input(const std::filesystem::path& path, std::size_t max_bytes) {
  return whole(FROND_TRY(open_input(path)), path, max_bytes, Code::kInvalid);
}

Result<std::size_t> read_some(const Descriptor& file, std::span<char> out, const std::filesystem::path& path) {
  const ssize_t got = TEMP_FAILURE_RETRY(::read(file.get(), out.data(), out.size()));
  if (got < 0) return system_error(Code::kUnavailable, "reading", path);
  return static_cast<std::size_t>(got);
}

Result<std::size_t> read_at(const Descriptor& file, std::uint64_t from, std::span<std::byte> out,
                            const std::filesystem::path& path) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        TEMP_FAILURE_RETRY(::pread(file.get(), out.data() + done, out.size() - done, static_cast<off_t>(from + done)));
    if (got < 0) return system_error(Code::kUnavailable, "reading", path);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Result<std::uint64_t> size_of(const Descriptor& file, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return system_error(Code::kUnavailable, "reading the size of", path);
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace frond::files
