#include "indexer/write/collection_folder.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/files/write.h"
#include "indexer/write/not_indexed.h"
#include "indexer/write/operation_log.h"

namespace frond::indexer::write {
namespace {

namespace fs = std::filesystem;

// common/repository/repository.h, and the service's own.
constexpr std::string_view kFolders[] = {"generations", "partitions", "building", "builds",   "compacting",
                                         "holders",     "writing",    "scratch",  kLogFolder, "fetched"};
constexpr std::string_view kFiles[] = {"CURRENT",         "HIGHEST",    "LOCK",         "settings.json",
                                       "log-batch.jsonl", kLogHeadFile, kNotIndexedFile};

bool may_be_there(const std::string& name, bool is_folder) {
  if (name.front() == '.' || name == "lost+found" || name.starts_with("overtaken-")) return true;
  if (is_folder) return std::ranges::find(kFolders, name) != std::end(kFolders);
  const std::string_view file = name.ends_with(files::kDraftSuffix)
                                    ? std::string_view(name).substr(0, name.size() - files::kDraftSuffix.size())
                                    : std::string_view(name);
  return std::ranges::find(kFiles, file) != std::end(kFiles);
}

Error unreadable(const fs::path& path, const std::error_code& failed) {
  return Error(Code::kUnavailable, path.string() + ": " + failed.message());
}

}  // namespace

Result<void> expect_room_for_collection(const fs::path& folder) {
  std::error_code failed;
  const auto there = fs::symlink_status(folder, failed);
  if (there.type() == fs::file_type::not_found) return {};
  if (failed) return unreadable(folder, failed);
  if (!fs::is_directory(folder, failed))
    return Error(Code::kCorrupt, folder.string() + " is in the way: it is no folder. Move it away");
  fs::directory_iterator at(folder, failed);
  for (; !failed && at != fs::directory_iterator(); at.increment(failed)) {
    std::error_code unknown;
    if (!may_be_there(at->path().filename().string(), at->is_directory(unknown)))
      return Error(Code::kCorrupt, at->path().string() + " is in the way: it is no collection's. Move it away");
  }
  if (failed) return unreadable(folder, failed);
  return {};
}

Result<void> empty_collection_folder(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> all;
  for (fs::directory_iterator at(folder, failed); !failed && at != fs::directory_iterator(); at.increment(failed))
    all.push_back(at->path());
  if (failed) return unreadable(folder, failed);
  const auto turn = [](const fs::path& path) {
    const std::string name = path.filename().string();
    return name == "CURRENT" ? 0 : name == "LOCK" ? 4 : name == "settings.json" ? 3 : name == kLogFolder ? 2 : 1;
  };
  std::ranges::sort(all, {}, turn);
  for (const fs::path& one : all) {
    if (one.filename() == "lost+found") continue;
    fs::remove_all(one, failed);
    if (failed) return Error(Code::kUnavailable, "removing " + one.string() + ": " + failed.message());
  }
  FROND_TRY(files::sync(folder));
  fs::remove(folder, failed);  // a mount stays, empty
  return {};
}

}  // namespace frond::indexer::write
