#include "common/files/lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <utility>

namespace frond::files {
namespace {

Result<std::optional<Descriptor>> try_lock(Descriptor opened, const std::filesystem::path& path) {
  int failed = 0;
  do failed = ::flock(opened.get(), LOCK_EX | LOCK_NB);
  while (failed != 0 && errno == EINTR);
  if (failed == 0) return std::optional<Descriptor>(std::move(opened));
  if (errno == EWOULDBLOCK) return std::optional<Descriptor>();
  return system_error(Code::kUnavailable, "locking", path);
}

}  // namespace

Result<std::optional<Descriptor>> try_lock_file(const std::filesystem::path& path) {
  return try_lock(FROND_TRY(open(path, O_RDWR | O_CREAT)), path);
}

Result<std::optional<Descriptor>> try_lock_folder(const std::filesystem::path& path) {
  return try_lock(FROND_TRY(open(path, O_RDONLY | O_DIRECTORY)), path);
}

}  // namespace frond::files
