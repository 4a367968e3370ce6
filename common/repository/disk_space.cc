#include "common/repository/disk_space.h"

#include <sys/statvfs.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "common/files/descriptor.h"

namespace frond::repository {
namespace fs = std::filesystem;

Result<std::uint64_t> free_bytes(const fs::path& folder) {
  std::error_code failed;
  fs::path there = fs::absolute(folder, failed);
  struct statvfs room {};
  while (::statvfs(there.c_str(), &room) != 0) {
    if (errno == EINTR) continue;
    if (errno != ENOENT || !there.has_relative_path())
      return files::system_error(Code::kUnavailable, "asking for the free space of", there);
    there = there.parent_path();
  }
  return std::uint64_t{room.f_bavail} * room.f_frsize;
}

Result<void> expect_room(const fs::path& folder, std::uint64_t needed, std::uint64_t reserve, std::string_view what) {
  const std::uint64_t free = FROND_TRY(free_bytes(folder));
  if (free >= reserve && free - reserve >= needed) return {};
  return Error(Code::kUnavailable, std::string(what) + " needs " + std::to_string(needed) + " bytes in " +
                                       folder.string() + ", and " + std::to_string(reserve) +
                                       " are to stay free; free are " + std::to_string(free));
}

}  // namespace frond::repository
