// A collection in a bucket. Files are uploaded; what is visible of a generation before CURRENT names it is of no
// consequence. CURRENT is replaced by one conditional PUT where the store obeys conditions; elsewhere the lease and a
// look at what is there must do.
#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/thread_name.h"
#include "common/files/read.h"
#include "common/repository/files.h"
#include "common/repository/object_lease.h"
#include "common/repository/storage.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;
using objects::Condition;
using objects::ObjectStore;

class ObjectStorage final : public Storage {
 public:
  ObjectStorage(std::shared_ptr<const ObjectStore> store, const std::string& collection, fs::path note,
                std::uint64_t epoch)
      : store_(std::move(store)), folder_(collection + "/"), note_(std::move(note)), epoch_(epoch) {}

  Result<void> start() {
    lease_ = FROND_TRY(ObjectLease::acquire(*store_, folder_ + "writers/", note_));
    for (const char* name : {"CURRENT", "HIGHEST"}) versions_[name] = FROND_TRY(version_of(name));
    const std::uint64_t holder = versions_["CURRENT"].line.epoch;
    if (epoch_ == 0 || holder == epoch_) return {};
    return Error(Code::kUnavailable,
                 "the lease of epoch " + std::to_string(epoch_) + " has ended: " +
                     (holder > epoch_ ? "another writer took the collection over, with epoch " + std::to_string(holder)
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
      if (there.line.epoch > epoch) return false;
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
    if (!fs::is_directory(local, failed)) return put_new(local, folder_ + path);
    return put_folder(*store_, local, folder_ + path, lost());
  }

  Result<void> replace(const std::string& name, Generation number,
                       const std::function<void(std::string_view)>& before) override {
    FROND_TRY(lease_->expect_held());
    Version& known = versions_[name];
    if (!lease_->conditional()) {
      const Condition there = FROND_TRY(version_of(name)).condition;
      if (there.etag != known.condition.etag || there.absent != known.condition.absent)
        return replaced_by_another(name);
    }
    const std::string text = to_text({number, known.line.epoch});
    before(name);
    auto done = store_->put(folder_ + name, text, lease_->conditional() ? known.condition : Condition(), lost());
    if (!done)
      return Error(done.error().code(), "whether " + name + " is " + std::to_string(number) +
                                            " now is not known: " + done.error().message());
    if (*done != objects::Put::kDone) return replaced_by_another(name);
    before("done");
    // It is done; where its version can't be read now, another replacement by this writer is refused.
    auto version = version_of(name);
    known = version ? *std::move(version) : Version{{.etag = "\"unknown\""}, known.line};
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
    for (const auto& object : found.objects) FROND_TRY(store_->remove(object.key));
    return {};
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

  // A file of a generation's number, which another writer must not have taken.
  Result<void> put_new(const fs::path& local, const std::string& key) {
    const files::Descriptor file = FROND_TRY(files::open(local, O_RDONLY));
    const std::uint64_t bytes = FROND_TRY(files::size_of(file, local));
    const Error taken(Code::kUnavailable, key + ": another writer has put it");
    if (bytes <= store_->access().part_bytes) {
      const std::string text = FROND_TRY(files::read_text(local, store_->access().part_bytes));
      const Condition absent{.absent = lease_->conditional()};
      if (FROND_TRY(store_->put(key, text, absent, lost())) != objects::Put::kDone) return taken;
      return {};
    }
    const auto there = store_->head(key);
    if (there) return taken;
    if (there.error().code() != Code::kNotFound) return there.error();
    return store_->put_file(key, local, lost());
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

  const std::shared_ptr<const ObjectStore> store_;
  const std::string folder_;
  const fs::path note_;
  std::unique_ptr<ObjectLease> lease_;
  const std::uint64_t epoch_;  // 0: a command's
  std::map<std::string, Version> versions_;
  mutable std::map<std::string, std::map<std::string, std::uint64_t>> sizes_;  // by folder and path
};

// How many files are uploaded at once; each has up to Access::connections parts of Access::part_bytes in memory.
constexpr std::size_t kFilesAtOnce = 4;
constexpr const char* kWriterNote = "WRITER";  // see ObjectLease::acquire()

}  // namespace

Result<void> put_folder(const ObjectStore& store, const fs::path& local, const std::string& key,
                        const std::function<bool()>& stopping) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(local, failed)) files.push_back(entry.path());
  if (failed) return Error(Code::kUnavailable, local.string() + ": " + failed.message());
  // The largest first, so that the last ones to end are short.
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    std::error_code unknown;
    return fs::file_size(a, unknown) > fs::file_size(b, unknown);
  });
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> over = false;
  Mutex mutex;
  Result<void> outcome;  // the first error
  const auto work = [&] {
    for (std::size_t i = next++; i < files.size() && !over; i = next++) {
      auto put = store.put_file(key + "/" + files[i].filename().string(), files[i],
                                [&] { return over || (stopping && stopping()); });
      if (put || over.exchange(true)) continue;
      const MutexLock lock(mutex);
      outcome = std::move(put);
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(kFilesAtOnce, files.size()); ++i)
      others.emplace_back([&] {
        name_this_thread("upload");
        work();
      });
    work();
  }
  return outcome;
}

Result<std::unique_ptr<Storage>> open_object_storage(std::shared_ptr<const ObjectStore> store,
                                                     const std::string& collection, const fs::path& local,
                                                     std::uint64_t epoch) {
  auto storage = std::make_unique<ObjectStorage>(std::move(store), collection, local / kWriterNote, epoch);
  FROND_TRY(storage->start());
  return std::unique_ptr<Storage>(std::move(storage));
}

Result<bool> take_epoch(std::shared_ptr<const ObjectStore> store, const std::string& collection, const fs::path& local,
                        std::uint64_t epoch, const std::string& record,
                        const std::function<Result<bool>()>& still_free) {
  ObjectStorage storage(std::move(store), collection, local / kWriterNote, 0);
  FROND_TRY(storage.start());
  return storage.take(epoch, record, still_free);
}

}  // namespace frond::repository
