#pragma once
// Seam: where a collection's files are written, under a RepositoryWriter: a folder, or a bucket of an object store.
// Paths are relative to the collection, joined by '/': "generations/7.json". What is put is never changed afterwards;
// only CURRENT and HIGHEST are replaced. One thread, and one writer at a time: an open Storage is the right to write.
// Errors are kUnavailable unless said otherwise. Internal to this folder.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/files/descriptor.h"
#include "common/objects/object_store.h"
#include "common/repository/leases/writer_lease.h"
#include "common/repository/repository.h"

namespace frond::repository {

// Why something is removed: it was published, and no published manifest names it any more; or no manifest names it, so
// that a writer left it which died, or which works beside this one against the rules.
enum class Remains { kPublished, kUnpublished };

class Storage {
 public:
  virtual ~Storage() = default;
  // Names of the files and folders directly in `folder` ("generations").
  virtual Result<std::vector<std::string>> list(const std::string& folder) const = 0;
  // kInvalid: the file is missing or has another size.
  virtual Result<void> expect_size(const std::string& path, std::uint64_t bytes) const = 0;
  // Makes the synced local file, or the local folder of synced files, the collection's `path`. It lasts as soon as a
  // later replace() has returned, and stays where it is until then. kUnavailable also, also of a later replace():
  // another writer has put a file of this name.
  virtual Result<void> put(const std::filesystem::path& local, const std::string& path) = 0;
  // Writes "<number>\n" to CURRENT or HIGHEST, durably, by one atomic step: `before` is called just before it.
  // kUnavailable also: another writer has replaced it since this Storage was opened.
  virtual Result<void> replace(const std::string& name, Generation number,
                               const std::function<void(std::string_view)>& before) = 0;
  // In a bucket: what this Storage knows without asking (ObjectWriting::memory). As long as the Storage exists. Null in
  // a folder.
  virtual const ObjectMemory* memory() const { return nullptr; }
  // CURRENT was replaced, by the generation with this manifest; or by another one, if it is empty.
  virtual void remember(Generation /*generation*/, const std::string& /*manifest*/) {}
  // Removes a file or folder, if it is there. What is kUnpublished may stay while its writer may be alive.
  virtual Result<void> remove(const std::string& path, Remains why) = 0;
  struct Removal {
    std::string path;
    Remains why;
  };
  // The same, in any order; of a bucket several at a time. After an error, some are removed.
  virtual Result<void> remove_all(std::span<const Removal> all) {
    for (const Removal& one : all) FROND_TRY(remove(one.path, one.why));
    return {};
  }
};

// In a folder, which is made. A command (`epoch` 0) holds its LOCK; kUnavailable also: another one does. Where CURRENT
// has an epoch, it publishes in that one. The writer of an epoch, which the service with this log has begun, excludes
// commands and itself by a lock in its gate (folder_gate.h), not by LOCK: whoever follows does not wait for it.
// kOverloaded: another writer of this epoch is at work, or another epoch is being begun. kUnavailable also: the epoch
// has ended. `building`, which the caller makes, is where drafts are; what is put is on the same file system.
// `before_step`, for tests, is called before each rename, sync and removal.
struct FolderWriting {
  std::filesystem::path folder, building;
  std::uint64_t epoch = 0;
  std::string log;
};
Result<std::unique_ptr<Storage>> open_folder_storage(FolderWriting how,
                                                     std::function<void(std::string_view)> before_step);
// In a bucket; `local` is the collection's local folder, whose LOCK the caller holds. Holds the right to write, see
// object_lease.h. kOverloaded: another writer holds it; kUnavailable also: CURRENT does not have `epoch` (0: any), so
// another service has taken the collection over. CURRENT keeps its epoch. `memory`: see ObjectWriting.
Result<std::unique_ptr<Storage>> open_object_storage(std::shared_ptr<const objects::ObjectStore> store,
                                                     const std::string& collection, const std::filesystem::path& local,
                                                     std::uint64_t epoch, std::shared_ptr<ObjectMemory> memory = {});
// Begins an epoch of a collection in a bucket: puts its record at holder_path(epoch), then its number into CURRENT.
// From then on, no Storage of an earlier epoch replaces CURRENT. False: another writer has begun this epoch or a later
// one, or `still_free`, which is asked between the two, says no: then the record is removed.
Result<bool> take_epoch(std::shared_ptr<const objects::ObjectStore> store, const std::string& collection,
                        const std::filesystem::path& local, std::uint64_t epoch, const std::string& record,
                        const std::function<Result<bool>()>& still_free);
// The records of leases: of a bucket, "<collection>/holders/<epoch>"; `local`, as above. Of a folder, holders/<epoch>.
std::unique_ptr<LeasePlace> make_object_lease_place(std::shared_ptr<const objects::ObjectStore> store,
                                                    const std::string& collection, std::filesystem::path local);
std::unique_ptr<LeasePlace> make_folder_lease_place(std::filesystem::path folder);
// As LeasePlace::newest(): `epochs` have a record, which `read` gives; which of several lives counts, `current_epoch`
// says.
Result<std::optional<LeasePlace::Found>> newest_record(
    const std::function<Result<std::vector<std::uint64_t>>()>& epochs,
    const std::function<Result<std::uint64_t>()>& current_epoch,
    const std::function<Result<std::string>(std::uint64_t)>& read);
// For LeasePlace::take(): whether the records that there are leave this epoch to the service that has put its record.
bool leave_free(const std::vector<std::uint64_t>& epochs, std::uint64_t epoch);
inline constexpr std::size_t kMaxRecordBytes = 4096;
inline constexpr const char* kHoldersFolder = "holders";
inline std::string holder_path(std::uint64_t epoch) {
  return std::string(kHoldersFolder) + "/" + std::to_string(epoch);
}
// Uploads files to keys, several at a time: larger ones a few, since each takes memory. kUnavailable also: `stopping`
// said so.
struct Upload {
  std::filesystem::path file;
  std::string key;
  std::uint64_t bytes = 0;
  bool is_new = false;  // nobody else may have put it
};
Result<void> upload_all(std::vector<Upload> uploads, std::uint64_t part_bytes,
                        const std::function<Result<void>(const Upload&, const std::function<bool()>&)>& put,
                        const std::function<bool()>& stopping);
// Those of a local folder, as "<key>/<name>".
Result<std::vector<Upload>> uploads_of(const std::filesystem::path& local, const std::string& key);
// Makes and locks the local folder of a collection in a bucket. kOverloaded: another writer here holds its LOCK.
Result<files::Descriptor> lock_local_folder(const std::filesystem::path& folder);
// A RepositorySource of the same bucket. What `memory` has is not read; it outlives the source. Null: all is read.
std::unique_ptr<RepositorySource> make_object_source(std::shared_ptr<const objects::ObjectStore> store,
                                                     const std::string& collection,
                                                     const ObjectMemory* memory = nullptr);

}  // namespace frond::repository
