// A collection in a folder: what is put is renamed into place, and folders are synced before CURRENT is switched.
#include <optional>
#include <system_error>
#include <utility>

#include "common/files/lock.h"
#include "common/files/write.h"
#include "common/repository/files.h"
#include "common/repository/storage.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;

// Makes a folder, and those on the way to it; their names last as CURRENT will.
Result<void> create_synced(const fs::path& relative) {
  std::error_code failed;
  const fs::path folder = fs::absolute(relative, failed);
  fs::path there = folder;
  while (!failed && !fs::exists(there, failed) && there.has_relative_path()) there = there.parent_path();
  if (!failed) fs::create_directories(folder, failed);
  if (failed) return Error(Code::kUnavailable, "creating " + folder.string() + ": " + failed.message());
  for (fs::path made = folder; made != there;) {
    made = made.parent_path();
    FROND_TRY(files::sync(made));
  }
  return {};
}

class FolderStorage final : public Storage {
 public:
  FolderStorage(fs::path folder, std::function<void(std::string_view)> before_step)
      : folder_(std::move(folder)), before_step_(std::move(before_step)) {}

  Result<void> start() {
    for (const auto& folder : {folder_ / "generations", folder_ / "partitions"}) FROND_TRY(create_synced(folder));
    lock_ = FROND_TRY(files::try_lock_file(folder_ / "LOCK"));
    if (lock_) return {};
    return Error(
        Code::kUnavailable,
        (folder_ / "LOCK").string() +
            " is held: another writer of this collection (build, add, remove, compact, publish, …) is running");
  }

  Result<std::vector<std::string>> list(const std::string& folder) const override {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_ / folder, ignored))
      names.push_back(entry.path().filename().string());
    return names;
  }

  Result<void> expect_size(const std::string& path, std::uint64_t bytes) const override {
    return repository::expect_size(folder_ / path, bytes);
  }

  Result<void> put(const fs::path& local, const std::string& path) override {
    const fs::path place = folder_ / path;
    std::error_code failed;
    if (fs::is_directory(local, failed)) {
      step("sync");
      FROND_TRY(files::sync(local));
    }
    if (unsynced_ != place.parent_path()) FROND_TRY(sync_names());
    unsynced_ = place.parent_path();
    step("rename");
    return files::rename(local, place);
  }

  Result<void> replace(const std::string& name, Generation number,
                       const std::function<void(std::string_view)>& before) override {
    FROND_TRY(sync_names());
    const fs::path draft = folder_ / "building" / name;
    step("draft");
    FROND_TRY(files::write_synced(draft, std::to_string(number) + "\n"));
    before(name);
    FROND_TRY(files::rename(draft, folder_ / name));
    before("done");
    return files::sync(folder_);
  }

  Result<void> remove(const std::string& path, Remains why) override {
    step("remove");
    std::error_code failed;
    fs::remove_all(folder_ / path, failed);
    if (failed) return Error(Code::kUnavailable, "removing " + (folder_ / path).string() + ": " + failed.message());
    // The name of what never was current must not come back.
    return why == Remains::kUnpublished && path.ends_with(".json") ? files::sync_parent(folder_ / path)
                                                                   : Result<void>();
  }

 private:
  void step(std::string_view name) const {
    if (before_step_) before_step_(name);
  }

  // Of the folder where names were made last.
  Result<void> sync_names() {
    if (unsynced_.empty()) return {};
    step("sync names");
    return files::sync(std::exchange(unsynced_, {}));
  }

  const fs::path folder_;
  const std::function<void(std::string_view)> before_step_;
  fs::path unsynced_;
  std::optional<files::Descriptor> lock_;
};

}  // namespace

Result<std::unique_ptr<Storage>> open_folder_storage(const fs::path& folder,
                                                     std::function<void(std::string_view)> before_step) {
  auto storage = std::make_unique<FolderStorage>(folder, std::move(before_step));
  FROND_TRY(storage->start());
  return std::unique_ptr<Storage>(std::move(storage));
}

}  // namespace frond::repository
