#include "leaf/serve/data_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace frond::leaf {
namespace fs = std::filesystem;

Result<std::unique_ptr<DataFolder>> DataFolder::open(const fs::path& root) {
  std::error_code failure;
  for (const char* folder : {"partitions", "generations", "fetching"}) {
    fs::create_directories(root / folder, failure);
    if (failure) return Error(Code::kUnavailable, (root / folder).string() + ": " + failure.message());
  }
  const fs::path path = root / "LOCK";
  const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) return Error(Code::kUnavailable, path.string() + ": " + std::strerror(errno));
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock);
    return Error(Code::kUnavailable, root.string() + ": another leaf is using it");
  }
  return std::unique_ptr<DataFolder>(new DataFolder(root, lock));
}

DataFolder::~DataFolder() { ::close(lock_); }

void DataFolder::keep_only(const std::set<std::string>& partitions, const std::set<std::string>& term_files) const {
  std::error_code ignored;  // what can't be removed now is tried again after the next start
  const auto sweep = [&](const fs::path& folder, const std::set<std::string>& kept) {
    std::vector<fs::path> doomed;
    for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored))
      if (!kept.contains(at->path().filename().string())) doomed.push_back(at->path());
    for (const fs::path& path : doomed) fs::remove_all(path, ignored);
  };
  sweep(root_ / "partitions", partitions);
  sweep(root_ / "generations", term_files);
  sweep(root_ / "fetching", {});
}

}  // namespace frond::leaf
