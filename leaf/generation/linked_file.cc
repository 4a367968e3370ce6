#include "leaf/generation/linked_file.h"

#include <sys/stat.h>

#include <system_error>

#include "common/partition/file_checksum.h"

namespace frond::leaf::generation {
namespace fs = std::filesystem;

bool can_link(const fs::path& from, const fs::path& to) {
  struct stat one {
  }, other{};
  return ::stat(from.c_str(), &one) == 0 && ::stat(to.c_str(), &other) == 0 && one.st_dev == other.st_dev;
}

bool link_verified(const fs::path& from, const partition::PartitionFile& expected, const fs::path& to) {
  const fs::path draft = fs::path(to) += ".link";
  std::error_code failed;
  fs::remove(draft, failed);
  fs::create_hard_link(from, draft, failed);
  if (failed) return false;
  // A symbolic link is linked itself, not what it names.
  bool good = fs::symlink_status(draft, failed).type() == fs::file_type::regular && !failed;
  if (good) {
    const auto found = partition::describe_file(draft);
    good = found && found->bytes == expected.bytes && found->xxh3 == expected.xxh3;
  }
  if (good) fs::rename(draft, to, failed);
  if (good && !failed) return true;
  fs::remove(draft, failed);
  return false;
}

}  // namespace frond::leaf::generation
