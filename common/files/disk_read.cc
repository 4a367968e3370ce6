#include "common/files/disk_read.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "common/files/descriptor.h"
#include "common/files/read.h"

namespace frond::files {
namespace {

constexpr std::size_t kAligned = 4096;  // of memory and places in the file, for direct reads

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

}  // namespace

Result<void> read_from_disk(const std::filesystem::path& path, const std::function<Result<void>(ByteView)>& sink) {
  auto opened = open(path, O_RDONLY | O_DIRECT);
  bool direct = static_cast<bool>(opened);
  if (!opened) opened = open(path, O_RDONLY);
  if (!opened) return std::move(opened).error();
  const std::unique_ptr<std::byte, Free> piece(static_cast<std::byte*>(std::aligned_alloc(kAligned, kDiskPieceBytes)));
  if (piece == nullptr) throw std::bad_alloc();
  const std::uint64_t size = FROND_TRY(size_of(*opened, path));
  for (std::uint64_t at = 0; at < size;) {
    const ssize_t got =
        TEMP_FAILURE_RETRY(::pread(opened->get(), piece.get(), kDiskPieceBytes, static_cast<off_t>(at)));
    const auto bytes = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    // The disk has larger sectors, or a read ended early, from where a direct one can't go on.
    const bool odd = got < 0 ? errno == EINVAL : bytes < kDiskPieceBytes && at + bytes < size;
    if (direct && odd) {
      opened = FROND_TRY(open(path, O_RDONLY));
      direct = false;
      continue;
    }
    if (got < 0) return system_error(Code::kUnavailable, "reading", path);
    if (got == 0) break;
    if (!direct) static_cast<void>(::posix_fadvise(opened->get(), static_cast<off_t>(at), got, POSIX_FADV_DONTNEED));
    FROND_TRY(sink({piece.get(), bytes}));
    at += bytes;
  }
  return {};
}

}  // namespace frond::files
