// A collection in a bucket. Files are uploaded; what is visible of a generation before CURRENT names it is of no
// consequence. CURRENT is replaced by one conditional PUT where the store obeys conditions; elsewhere the lease and a
// look at what is there must do.
#include <fcntl.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "common/base/threads/parallel.h"
#include "common/files/read.h"
#include "common/repository/files.h"
#include "common/repository/leases/object_lease.h"
#include "common/repository/storage/storage.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;
using objects::Condition;
using objects::ObjectStore;

class ObjectStorage final : public Storage {
 public:
  ObjectStorage(std::shared_ptr<const ObjectStore> store, const std::string& collection, fs::path note,
                std::uint64_t epoch, std::shared_ptr<ObjectMemory> memory)
      : store_(std::move(store)),
        folder_(collection + "/"),
        note_(std::move(note)),
        epoch_(epoch),
        memory_(std::move(memory)) {}

  Result<void> start() {
    if (const auto known = memory_ ? memory_->known() : nullptr) return go_on(*known);
    lease_ = FROND_TRY(ObjectLease::acquire(*store_, folder_ + "writers/", note_));
    for (const char* name : {"CURRENT", "HIGHEST"}) versions_[name] = FROND_TRY(version_of(name));
    return expect_epoch();
  }

  // As start(), where CURRENT is as it was when this service published last. It is read while the lease is written.
  Result<void> go_on(const ObjectMemory::Known& known) {
    Version& current = versions_["CURRENT"];
    const auto begin = [&](std::size_t i) -> Result<void> {
      if (i == 0)
        lease_ = FROND_TRY(ObjectLease::acquire(*store_, folder_ + "writers/", {}, known.lease_id));
      else
        current = FROND_TRY(version_of("CURRENT"));
      return {};
    };
    FROND_TRY(in_parallel(2, 2, begin));
    if (current.condition.etag == known.current_tag) {
      session_.set(known);
    } else {
      memory_->forget();
    }
    return expect_epoch();
  }
  const ObjectMemory* memory() const override { return &session_; }
  void remember(Generation generation, const std::string& manifest) override {
    if (!memory_) return;
    const Version& current = versions_["CURRENT"];
    const bool well = lease_->conditional() && epoch_ != 0 && current.line.generation == generation &&
                      !current.condition.etag.empty();
    if (manifest.empty() || !well) return forget();
    const ObjectMemory::Known known{generation, to_text(current.line), current.condition.etag, manifest, lease_->id()};
    session_.set(known);
    memory_->set(known);
  }

  Result<void> expect_epoch() {
    const std::uint64_t holder = versions_["CURRENT"].line.epoch;
    if (epoch_ == 0 || holder == epoch_) return {};
    return Error(Code::kUnavailable,
                 "the lease of epoch " + std::to_string(epoch_) + " has ended: " +
                     (life_of(holder) == life_of(epoch_) && holder > epoch_
                          ? "another writer took the collection over, with epoch " + std::to_string(holder)
                          : std::string("the collection was removed")));
  }

  // See take_epoch().
  Result<bool> take(std::uint64_t epoch, const std::string& record, const std::function<Result<bool>()>& still_free) {
    const Condition absent{.absent = lease_->conditional()};
    if (!lease_->conditional() && store_->head(folder_ + holder_path(epoch))) return false;
    if (FROND_TRY(store_->put(folder_ + holder_path(epoch), record, absent, lost())) != objects::Put::kDone)
      return false;
    if (auto free = still_free(); !free || !*free) {
      FROND_TRY(store_->remove(folder_ + holder_path(epoch)));
      return free;
    }
    // A command may publish in between: then its CURRENT is taken instead.
    for (unsigned tries = 0; tries < kTriesToFence; ++tries) {
      FROND_TRY(lease_->expect_held());
      const Version there = FROND_TRY(version_of("CURRENT"));
      if (!may_follow(epoch, there.line.epoch)) {
        FROND_TRY(store_->remove(folder_ + holder_path(epoch)));
        return false;
      }
      const std::string text = to_text({there.line.generation, epoch});
      const Condition same = lease_->conditional() ? there.condition : Condition();
      if (FROND_TRY(store_->put(folder_ + "CURRENT", text, same, lost())) == objects::Put::kDone) return true;
    }
    return Error(Code::kUnavailable, folder_ + "CURRENT changes too often");
  }

  Result<std::vector<std::string>> list(const std::string& folder) const override {
    const std::string prefix = folder_ + folder + "/";
    auto found = FROND_TRY(store_->list(prefix, /*folders=*/true));
    std::vector<std::string> names = std::move(found.folders);
    for (const auto& object : found.objects) names.push_back(object.key.substr(prefix.size()));
    return names;
  }

  Result<void> expect_size(const std::string& path, std::uint64_t bytes) const override {
    if (FROND_TRY(listed_size(path)) == bytes) return {};
    const auto there = store_->head(folder_ + path);  // it may be put since
    if (!there && there.error().code() == Code::kNotFound) return Error(Code::kInvalid, there.error().message());
    if (!there) return there.error();
    if (*there == bytes) return {};
    return Error(Code::kInvalid, path + ": " + std::to_string(*there) + " bytes instead of " + std::to_string(bytes));
  }

  Result<void> put(const fs::path& local, const std::string& path) override {
    FROND_TRY(lease_->expect_held());
    std::error_code failed;
    std::vector<Upload> more;
    if (fs::is_directory(local, failed))
      more = FROND_TRY(uploads_of(local, folder_ + path));
    else
      more.push_back({local, folder_ + path, fs::file_size(local, failed), /*is_new=*/true});
    if (failed) return Error(Code::kUnavailable, local.string() + ": " + failed.message());
    uploads_.insert(uploads_.end(), more.begin(), more.end());
    return {};
  }

  Result<void> replace(const std::string& name, Generation number,
                       const std::function<void(std::string_view)>& before) override {
    FROND_TRY(upload());
    FROND_TRY(lease_->expect_held());
    if (!versions_.contains(name)) versions_[name] = FROND_TRY(version_of(name));
    Version& known = versions_[name];
    if (!lease_->conditional()) {
      const Condition there = FROND_TRY(version_of(name)).condition;
      if (there.etag != known.condition.etag || there.absent != known.condition.absent)
        return replaced_by_another(name);
    }
    // Of a collection that is removed and made again, CURRENT never has the same text, and so not the same ETag.
    const bool begins_life = name == "CURRENT" && known.condition.absent && epoch_ == 0;
    const std::uint64_t epoch = begins_life ? before_first_epoch(random_life()) : known.line.epoch;
    const std::string text = to_text({number, epoch});
    before(name);
    FROND_TRY(lease_->expect_held());  // without conditions, nothing else sees how long this process was stopped
    auto done = store_->put_text(folder_ + name, text, lease_->conditional() ? known.condition : Condition(), lost());
    if (!done || done->done != objects::Put::kDone) forget();
    if (!done)
      return Error(done.error().code(), "whether " + name + " is " + std::to_string(number) +
                                            " now is not known: " + done.error().message());
    if (done->done != objects::Put::kDone) return replaced_by_another(name);
    before("done");
    if (!done->etag.empty()) {
      known = Version{{.etag = std::move(done->etag)}, {number, epoch}};
      return {};
    }
    // It is done; where its version can't be read now, another replacement by this writer is refused.
    auto version = version_of(name);
    known = version ? *std::move(version) : Version{{.etag = "\"unknown\""}, {number, epoch}};
    return {};
  }

  Result<void> remove(const std::string& path, Remains why) override {
    FROND_TRY(lease_->expect_held());
    const std::string key = folder_ + path;
    auto found = FROND_TRY(store_->list(key, /*folders=*/false));
    std::erase_if(found.objects,
                  [&](const auto& object) { return object.key != key && !object.key.starts_with(key + "/"); });
    const auto may_live = [&](const objects::ListedObject& object) {
      return found.now == 0 || found.now - object.modified < store_->access().leftover_age.count();
    };
    if (why == Remains::kUnpublished && std::any_of(found.objects.begin(), found.objects.end(), may_live)) return {};
    return in_parallel(found.objects.size(), kRemovedAtOnce, [&](std::size_t i) -> Result<void> {
      FROND_TRY(lease_->expect_held());
      return store_->remove(found.objects[i].key, lost());
    });
  }
  Result<void> remove_all(std::span<const Removal> all) override {
    return in_parallel(all.size(), kRemovedAtOnce, [&](std::size_t i) { return remove(all[i].path, all[i].why); });
  }

 private:
  // Of a file, by one list of its folder for all files there, which never change; 0: it was not there then.
  Result<std::uint64_t> listed_size(const std::string& path) const {
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    const auto [known, is_new] = sizes_.try_emplace(folder);
    if (is_new)
      for (const auto& object : FROND_TRY(store_->list(folder_ + folder, /*folders=*/true)).objects)
        known->second.emplace(object.key.substr(folder_.size()), object.bytes);
    const auto found = known->second.find(path);
    return found == known->second.end() ? 0 : found->second;
  }

  void forget() {
    session_.forget();
    if (memory_) memory_->forget();
  }

  // What put() was given. What is there before CURRENT names it is of no consequence, so it goes in any order.
  Result<void> upload() {
    if (uploads_.empty()) return {};
    auto done = upload_all(
        std::exchange(uploads_, {}), store_->access().part_bytes,
        [this](const Upload& one, const objects::Stopping& stopping) {
          return one.is_new ? put_new(one.file, one.key, stopping) : store_->put_file(one.key, one.file, stopping);
        },
        lost());
    if (!done) forget();
    return done;
  }

  // A file of a generation's number, which another writer must not have taken.
  Result<void> put_new(const fs::path& local, const std::string& key, const objects::Stopping& stopping) const {
    const files::Descriptor file = FROND_TRY(files::open(local, O_RDONLY));
    const std::uint64_t bytes = FROND_TRY(files::size_of(file, local));
    const Error taken(Code::kUnavailable, key + ": another writer has put it");
    if (bytes <= store_->access().part_bytes) {
      const std::string text = FROND_TRY(files::read_text(local, store_->access().part_bytes));
      const Condition absent{.absent = lease_->conditional()};
      if (FROND_TRY(store_->put(key, text, absent, stopping)) != objects::Put::kDone) return taken;
      return {};
    }
    const auto there = store_->head(key);
    if (there) return taken;
    if (there.error().code() != Code::kNotFound) return there.error();
    return store_->put_file(key, local, stopping);
  }

  static Error replaced_by_another(const std::string& name) {
    return Error(Code::kUnavailable, name + ": another writer has replaced it meanwhile; nothing is published");
  }

  // What CURRENT or HIGHEST is now, with the condition for its replacement.
  struct Version {
    Condition condition;
    CurrentLine line;  // zeros: it is absent, or can't be understood
  };
  Result<Version> version_of(const std::string& name) const {
    const auto there = store_->get_text(folder_ + name, 64);
    if (!there && there.error().code() == Code::kNotFound) return Version{{.absent = true}, {}};
    if (!there) return there.error();
    const auto line = parse_current_line(there->text);
    // Without an ETag there is nothing to compare.
    return Version{{.etag = there->etag}, line ? *line : CurrentLine()};
  }

  // Ends retries when the lease is lost.
  objects::Stopping lost() const {
    return [this] { return !lease_->expect_held(); };
  }

  static constexpr unsigned kTriesToFence = 5;
  static constexpr std::size_t kRemovedAtOnce = 4;

  const std::shared_ptr<const ObjectStore> store_;
  const std::string folder_;
  const fs::path note_;
  std::unique_ptr<ObjectLease> lease_;
  const std::uint64_t epoch_;  // 0: a command's
  const std::shared_ptr<ObjectMemory> memory_;
  ObjectMemory session_;  // what of it is still so
  std::map<std::string, Version> versions_;
  std::vector<Upload> uploads_;                                                // that replace() begins with
  mutable std::map<std::string, std::map<std::string, std::uint64_t>> sizes_;  // by folder and path
};

constexpr const char* kWriterNote = "WRITER";  // see ObjectLease::acquire()

}  // namespace

Result<std::unique_ptr<Storage>> open_object_storage(std::shared_ptr<const ObjectStore> store,
                                                     const std::string& collection, const fs::path& local,
                                                     std::uint64_t epoch, std::shared_ptr<ObjectMemory> memory) {
  auto storage =
      std::make_unique<ObjectStorage>(std::move(store), collection, local / kWriterNote, epoch, std::move(memory));
  FROND_TRY(storage->start());
  return std::unique_ptr<Storage>(std::move(storage));
}

Result<bool> take_epoch(std::shared_ptr<const ObjectStore> store, const std::string& collection, const fs::path& local,
                        std::uint64_t epoch, const std::string& record,
                        const std::function<Result<bool>()>& still_free) {
  ObjectStorage storage(std::move(store), collection, local / kWriterNote, 0, {});
  FROND_TRY(storage.start());
  return storage.take(epoch, record, still_free);
}

}  // namespace frond::repository
