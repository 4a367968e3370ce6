// A collection in a folder: what is put is renamed into place, and folders are synced before CURRENT is switched. In an
// epoch, every rename goes through the epoch's gate.
#include <optional>
#include <system_error>
#include <utility>

#include "common/files/read.h"
#include "common/files/write.h"
#include "common/repository/files.h"
#include "common/repository/leases/folder_gate.h"
#include "common/repository/storage/storage.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;

class FolderStorage final : public Storage {
 public:
  FolderStorage(FolderWriting how, std::function<void(std::string_view)> before_step)
      : folder_(std::move(how.folder)),
        building_(std::move(how.building)),
        epoch_(how.epoch),
        before_step_(std::move(before_step)) {}

  Result<void> start(const std::string& log) {
    if (epoch_ != 0) {
      gate_ = gate_path(folder_, epoch_, log);
      return still_open(lock_gate());
    }
    for (const auto& folder : {folder_ / "generations", folder_ / "partitions"}) FROND_TRY(create_synced(folder));
    lock_ = FROND_TRY(files::try_lock_file(folder_ / "LOCK"));
    if (lock_) return join_epoch();
    return Error(
        Code::kUnavailable,
        (folder_ / "LOCK").string() +
            " is held: another writer of this collection (build, add, remove, compact, publish, …) is running");
  }

  Result<std::vector<std::string>> list(const std::string& folder) const override {
    std::vector<std::string> names;
    const auto entries = files::entries_of(folder_ / folder);
    if (!entries && entries.error().code() == Code::kNotFound) return names;
    if (!entries) return entries.error();
    for (const fs::path& entry : *entries) names.push_back(entry.filename().string());
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
    return through_gate(local, place);
  }

  Result<void> replace(const std::string& name, Generation number,
                       const std::function<void(std::string_view)>& before) override {
    FROND_TRY(sync_names());
    const bool current = name == "CURRENT";
    const fs::path draft = building_ / name;
    step("draft");
    FROND_TRY(files::write_synced(draft, to_text({number, current ? epoch_ : 0})));
    if (current) FROND_TRY(expect_epoch());
    FROND_TRY(through_gate(draft, folder_ / name, [&] { before(name); }));
    before("done");
    return files::sync(folder_);
  }

  Result<void> remove(const std::string& path, Remains why) override {
    step("remove");
    const fs::path gone = folder_ / path;
    if (gate_.empty()) {
      FROND_TRY(remove_whole(gone));  // what NFS keeps is tried again with the next leftovers
    } else {
      std::error_code failed;
      if (!fs::exists(fs::symlink_status(gone, failed))) return {};
      FROND_TRY(still_open(files::rename(gone, gate_ / kPassing)));
      FROND_TRY(remove_passing(gate_));
    }
    // The name of what never was current must not come back.
    return why == Remains::kUnpublished && path.ends_with(".json") ? files::sync_parent(folder_ / path)
                                                                   : Result<void>();
  }

 private:
  // A command publishes in the epoch that there is, and keeps it.
  Result<void> join_epoch() {
    epoch_ = FROND_TRY(current_line(folder_)).epoch;
    auto newest = FROND_TRY(newest_record(folder_));
    if (epoch_ == 0 && !newest) return {};
    if (newest && newest->epoch > epoch_) return being_taken_over(*newest);
    if (newest && newest->epoch == epoch_) {
      const auto record = lease_record_from_json(newest->text);
      if (!record) return Error(record.error()).within(holder_path(epoch_));
      gate_ = gate_path(folder_, epoch_, record->log);
    }
    // Where it is lost, commands have one of their own. The service's is never made again: it may be closed.
    std::error_code failed;
    if (gate_.empty() || !fs::exists(gate_, failed)) {
      gate_ = gate_path(folder_, epoch_, "commands");
      FROND_TRY(create_synced(gate_));
    }
    // An epoch that begins after this closes the gate.
    newest = FROND_TRY(newest_record(folder_));
    if (newest && newest->epoch > epoch_) return being_taken_over(*newest);
    return still_open(lock_gate());
  }

  static Error being_taken_over(const LeasePlace::Found& by) {
    return {Code::kOverloaded, "a service is just taking the collection over: " + holder_path(by.epoch)};
  }

  Result<void> lock_gate() {
    gate_lock_ = FROND_TRY(files::try_lock_file(gate_ / "LOCK"));
    if (!gate_lock_)
      return Error(Code::kOverloaded,
                   (gate_ / "LOCK").string() + " is held: another writer of this collection is running");
    FROND_TRY(remove_passing(gate_));  // of a writer that died
    return expect_epoch();
  }

  Result<void> expect_epoch() const {
    const std::uint64_t there = FROND_TRY(current_line(folder_)).epoch;
    if (there == epoch_) return {};
    if (life_of(there) != life_of(epoch_))
      return epoch_has_ended(epoch_, "the collection was removed, and made again since");
    if (there > epoch_) return epoch_has_ended(epoch_, "another service took the collection over");
    return epoch_has_ended(epoch_, "CURRENT has epoch " + std::to_string(there));
  }

  // What went wrong, if it is that the gate is closed.
  Result<void> still_open(Result<void> done) const {
    std::error_code failed;
    if (done || gate_.empty() || fs::exists(gate_, failed) || failed) return done;
    return epoch_has_ended(epoch_, "another service took the collection over");
  }

  // `before`: the last rename.
  Result<void> through_gate(const fs::path& from, const fs::path& to, const std::function<void()>& before = {}) const {
    const fs::path passing = gate_.empty() ? from : gate_ / kPassing;
    if (!gate_.empty()) FROND_TRY(still_open(files::rename(from, passing)));
    if (before) before();
    return still_open(files::rename(passing, to));
  }

  void step(std::string_view name) const {
    if (before_step_) before_step_(name);
  }

  // Of the folder where names were made last.
  Result<void> sync_names() {
    if (unsynced_.empty()) return {};
    step("sync names");
    return files::sync(std::exchange(unsynced_, {}));
  }

  const fs::path folder_, building_;
  std::uint64_t epoch_;
  fs::path gate_;  // empty: the collection has no epoch
  const std::function<void(std::string_view)> before_step_;
  fs::path unsynced_;
  std::optional<files::Descriptor> lock_, gate_lock_;
};

}  // namespace

Result<std::unique_ptr<Storage>> open_folder_storage(FolderWriting how,
                                                     std::function<void(std::string_view)> before_step) {
  const std::string log = how.log;
  auto storage = std::make_unique<FolderStorage>(std::move(how), std::move(before_step));
  FROND_TRY(storage->start(log));
  return std::unique_ptr<Storage>(std::move(storage));
}

}  // namespace frond::repository
