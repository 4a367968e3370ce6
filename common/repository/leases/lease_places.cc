// The records of leases: in a folder files holders/<epoch>, in a bucket objects "<collection>/holders/<epoch>".
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "common/files/read.h"
#include "common/files/write.h"
#include "common/repository/files.h"
#include "common/repository/leases/folder_gate.h"
#include "common/repository/leases/writer_lease.h"
#include "common/repository/storage/storage.h"

namespace frond::repository {
namespace {

namespace fs = std::filesystem;

// An epoch begins when its record is there; the gates of those before are closed then, and CURRENT gets the epoch
// (folder_gate.h).
class FolderLeasePlace final : public LeasePlace {
 public:
  explicit FolderLeasePlace(fs::path folder) : folder_(std::move(folder)) {}

  Result<std::optional<Found>> newest() const override { return newest_record(folder_); }
  Result<std::uint64_t> current_epoch() const override { return FROND_TRY(current_line(folder_)).epoch; }

  Result<bool> take(const LeaseRecord& record, const std::optional<Found>& last) override {
    for (const char* name : {"generations", "partitions", kHoldersFolder, kGatesFolder})
      FROND_TRY(create_synced(folder_ / name));
    auto commands = FROND_TRY(files::try_lock_file(folder_ / "LOCK"));
    if (!commands)
      return Error(Code::kOverloaded, (folder_ / "LOCK").string() + " is held: a command changes the collection");
    // Later it need not be held: a command that begins meanwhile has a gate, or sees the record. So nobody waits for a
    // service that is stopped here.
    if (FROND_TRY(current_line(folder_)).epoch != 0) commands.reset();
    const fs::path gate = gate_path(folder_, record.epoch, record.log);
    FROND_TRY(make_gate(gate));
    if (!FROND_TRY(put_new(record, gate))) {
      std::error_code ignored;
      fs::remove_all(gate, ignored);
      return false;
    }
    if (!FROND_TRY(may_begin(record.epoch, last))) {
      FROND_TRY(remove(record.epoch));
      std::error_code ignored;
      fs::remove_all(gate, ignored);
      return false;
    }
    FROND_TRY(close_gates(folder_, record.epoch, gate));
    if (!FROND_TRY(write_epoch(record.epoch, gate))) {
      FROND_TRY(remove(record.epoch));
      return false;
    }
    remove_scratch_of_others(record.log);
    return true;
  }

  Result<void> rewrite(const LeaseRecord& record) override {
    const fs::path gate = gate_path(folder_, record.epoch, record.log), draft = gate / "record";
    auto written = files::write_synced(draft, to_json(record));
    if (written) written = files::rename(draft, folder_ / holder_path(record.epoch));
    if (written) return files::sync(folder_ / kHoldersFolder);
    std::error_code failed;
    if (fs::exists(gate, failed) || failed) return written;
    return Error(Code::kOverloaded, epoch_has_ended(record.epoch, gate.string() + " is gone").message());
  }

  Result<void> remove(std::uint64_t epoch) override {
    std::error_code failed;
    fs::remove(folder_ / holder_path(epoch), failed);
    if (!failed) return {};
    return Error(Code::kUnavailable, "removing " + (folder_ / holder_path(epoch)).string() + ": " + failed.message());
  }

 private:
  // False: there is one of this epoch.
  Result<bool> put_new(const LeaseRecord& record, const fs::path& gate) const {
    const fs::path draft = gate / "record", place = folder_ / holder_path(record.epoch);
    FROND_TRY(files::write_synced(draft, to_json(record)));
    if (::link(draft.c_str(), place.c_str()) != 0) {
      if (errno != EEXIST) return files::system_error(Code::kUnavailable, "making a hard link of", draft);
      // A network file system may say so of a link that it has made itself, if its answer was lost.
      std::error_code failed;
      if (!fs::equivalent(draft, place, failed)) return false;
    }
    FROND_TRY(files::sync(folder_ / kHoldersFolder));
    // The next one is another file.
    if (::unlink(draft.c_str()) != 0) return files::system_error(Code::kUnavailable, "removing", draft);
    return true;
  }

  // Whether there is no later epoch and no other life, and the last holder has not renewed its lease.
  Result<bool> may_begin(std::uint64_t epoch, const std::optional<Found>& last) const {
    if (!leave_free(FROND_TRY(recorded_epochs(folder_)), epoch)) return false;
    if (!may_follow(epoch, FROND_TRY(current_line(folder_)).epoch)) return false;
    if (!last) return true;
    const auto now = files::read_text(folder_ / holder_path(last->epoch), kMaxRecordBytes);
    if (!now && now.error().code() != Code::kNotFound) return now.error();
    return now && *now == last->text;
  }

  // False: a later epoch has begun, or another life.
  Result<bool> write_epoch(std::uint64_t epoch, const fs::path& gate) const {
    const CurrentLine there = FROND_TRY(current_line(folder_));
    if (!may_follow(epoch, there.epoch)) return false;
    const fs::path draft = gate / "CURRENT";
    auto written = files::write_synced(draft, to_text({there.generation, epoch}));
    if (written) written = files::rename(draft, folder_ / "CURRENT");
    std::error_code failed;
    if (!written && !fs::exists(gate, failed) && !failed) return false;
    FROND_TRY(written);
    FROND_TRY(files::sync(folder_));
    return true;
  }

  // Who uses it still can't publish it.
  void remove_scratch_of_others(const std::string& log) const {
    std::error_code ignored;
    for (const fs::path& entry : files::some_entries_of(folder_ / kScratchFolder))
      if (entry.filename() != log) fs::remove_all(entry, ignored);
  }

  const fs::path folder_;
};

class ObjectLeasePlace final : public LeasePlace {
 public:
  ObjectLeasePlace(std::shared_ptr<const objects::ObjectStore> store, std::string collection,
                   std::filesystem::path local)
      : store_(std::move(store)), collection_(std::move(collection)), local_(std::move(local)) {}

  Result<std::optional<Found>> newest() const override {
    return newest_record([this] { return epochs(); }, [this] { return current_epoch(); },
                         [this](std::uint64_t epoch) -> Result<std::string> {
                           return FROND_TRY(store_->get_text(key_of(epoch), kMaxRecordBytes)).text;
                         });
  }
  Result<std::uint64_t> current_epoch() const override {
    constexpr std::size_t kMax = 64;
    const auto text = store_->get_text(collection_ + "/CURRENT", kMax);
    if (!text && text.error().code() == Code::kNotFound) return 0;
    if (!text) return text.error();
    const auto line = parse_current_line(text->text);
    return line ? line->epoch : 0;
  }
  Result<bool> take(const LeaseRecord& record, const std::optional<Found>& last) override {
    const auto lock = FROND_TRY(lock_local_folder(local_));
    const auto still_free = [&]() -> Result<bool> {
      if (!leave_free(FROND_TRY(epochs()), record.epoch)) return false;
      if (!last) return true;
      const auto now = store_->get_text(key_of(last->epoch), kMaxRecordBytes);
      if (!now && now.error().code() != Code::kNotFound) return now.error();
      return now && now->text == last->text;
    };
    return take_epoch(store_, collection_, local_, record.epoch, to_json(record), still_free);
  }
  Result<void> rewrite(const LeaseRecord& record) override {
    FROND_TRY(store_->put(key_of(record.epoch), to_json(record), {}));
    return {};
  }
  Result<void> remove(std::uint64_t epoch) override { return store_->remove(key_of(epoch)); }

 private:
  std::string key_of(std::uint64_t epoch) const { return collection_ + "/" + holder_path(epoch); }
  Result<std::vector<std::uint64_t>> epochs() const {
    const std::string prefix = collection_ + "/" + kHoldersFolder + "/";
    std::vector<std::uint64_t> all;
    for (const auto& object : FROND_TRY(store_->list(prefix, /*folders=*/true)).objects)
      if (const auto epoch = number_of(std::string_view(object.key).substr(prefix.size())); epoch != 0)
        all.push_back(epoch);
    return all;
  }

  const std::shared_ptr<const objects::ObjectStore> store_;
  const std::string collection_;
  const std::filesystem::path local_;
};

}  // namespace

std::unique_ptr<LeasePlace> make_folder_lease_place(std::filesystem::path folder) {
  return std::make_unique<FolderLeasePlace>(std::move(folder));
}

std::unique_ptr<LeasePlace> make_object_lease_place(std::shared_ptr<const objects::ObjectStore> store,
                                                    const std::string& collection, std::filesystem::path local) {
  return std::make_unique<ObjectLeasePlace>(std::move(store), collection, std::move(local));
}

}  // namespace frond::repository
