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
#include "common/repository/object_lease.h"
#include "common/repository/storage.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;
using objects::Condition;
using objects::ObjectStore;

class ObjectStorage final : public Storage {
 public:
  ObjectStorage(std::shared_ptr<const ObjectStore> store, const std::string& collection)
      : store_(std::move(store)), folder_(collection + "/") {}

  Result<void> start() {
    lease_ = FROND_TRY(ObjectLease::acquire(*store_, folder_ + "writers/"));
    for (const char* name : {"CURRENT", "HIGHEST"}) versions_[name] = FROND_TRY(version_of(name));
    return {};
  }

  Result<std::vector<std::string>> list(const std::string& folder) const override {
    const std::string prefix = folder_ + folder + "/";
    auto found = FROND_TRY(store_->list(prefix, /*folders=*/true));
    std::vector<std::string> names = std::move(found.folders);
    for (const auto& object : found.objects) names.push_back(object.key.substr(prefix.size()));
    return names;
  }

  Result<void> expect_size(const std::string& path, std::uint64_t bytes) const override {
    const auto there = store_->head(folder_ + path);
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
    Condition& known = versions_[name];
    if (!lease_->conditional()) {
      const Condition there = FROND_TRY(version_of(name));
      if (there.etag != known.etag || there.absent != known.absent) return replaced_by_another(name);
    }
    const std::string text = std::to_string(number) + "\n";
    before(name);
    auto done = store_->put(folder_ + name, text, lease_->conditional() ? known : Condition(), lost());
    if (!done)
      return Error(done.error().code(), "whether " + name + " is " + std::to_string(number) +
                                            " now is not known: " + done.error().message());
    if (*done != objects::Put::kDone) return replaced_by_another(name);
    before("done");
    // It is done; where its version can't be read now, another replacement by this writer is refused.
    auto version = version_of(name);
    known = version ? *std::move(version) : Condition{.etag = "\"unknown\""};
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

  // What CURRENT or HIGHEST is now, as the condition for its replacement.
  Result<Condition> version_of(const std::string& name) const {
    const auto there = store_->get_text(folder_ + name, 64);
    if (!there && there.error().code() == Code::kNotFound) return Condition{.absent = true};
    if (!there) return there.error();
    // Without an ETag there is nothing to compare.
    return Condition{.etag = there->etag};
  }

  // Ends retries when the lease is lost.
  objects::Stopping lost() const {
    return [this] { return !lease_->expect_held(); };
  }

  const std::shared_ptr<const ObjectStore> store_;
  const std::string folder_;
  std::unique_ptr<ObjectLease> lease_;
  std::map<std::string, Condition> versions_;
};

// How many files are uploaded at once; each has up to Access::connections parts of Access::part_bytes in memory.
constexpr std::size_t kFilesAtOnce = 4;

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
                                                     const std::string& collection) {
  auto storage = std::make_unique<ObjectStorage>(std::move(store), collection);
  FROND_TRY(storage->start());
  return std::unique_ptr<Storage>(std::move(storage));
}

}  // namespace frond::repository
