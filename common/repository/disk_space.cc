#include "common/repository/disk_space.h"

#include <string>
#include <system_error>

namespace frond::repository {
namespace fs = std::filesystem;

Result<std::uint64_t> free_bytes(const fs::path& folder) {
  std::error_code failed;
  fs::path there = fs::absolute(folder, failed);
  for (;;) {
    const fs::space_info room = fs::space(there, failed);
    if (!failed) return room.available;
    if (failed == std::errc::interrupted) continue;
    if (failed != std::errc::no_such_file_or_directory || !there.has_relative_path())
      return Error(Code::kUnavailable, "asking for the free space of " + there.string() + ": " + failed.message());
    there = there.parent_path();
  }
}

Result<void> expect_room(const fs::path& folder, std::uint64_t needed, std::uint64_t reserve, std::string_view what) {
  const std::uint64_t free = FROND_TRY(free_bytes(folder));
  if (free >= reserve && free - reserve >= needed) return {};
  return Error(Code::kUnavailable, std::string(what) + " needs " + std::to_string(needed) + " bytes in " +
                                       folder.string() + ", and " + std::to_string(reserve) +
                                       " are to stay free; free are " + std::to_string(free));
}

}  // namespace frond::repository
