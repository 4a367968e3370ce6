#include "indexer/write/written_collections.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "common/base/thread_name.h"
#include "common/repository/repository.h"
#include "indexer/build_lock.h"

namespace frond::indexer::write {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::seconds kLookEvery{1};
constexpr std::string_view kRemovedPrefix = ".removed-";  // of folders that are being removed

std::string removed_name(const std::string& collection) {
  std::random_device random;
  return std::string(kRemovedPrefix) + collection + "-" + std::to_string(random());
}

bool is_collection(const fs::path& repository, const std::string& name) {
  std::error_code unknown;
  return repository::is_safe_name(name) &&
         (fs::exists(repository / name / "CURRENT", unknown) || has_log(repository, name));
}

Error missing(const std::string& collection) {
  return Error(Code::kNotFound, "there is no collection " + collection.substr(0, 200));
}

}  // namespace

WrittenCollections::WrittenCollections(WriterOptions options, metrics::Registry& registry, Logger& log)
    : options_(std::move(options)), log_(log), metrics_(registry) {
  registry.before_scrape([this] { tell(); });
  std::error_code failed;
  for (const auto& folder : fs::directory_iterator(options_.repository, failed))
    if (folder.path().filename().string().starts_with(kRemovedPrefix)) fs::remove_all(folder.path(), failed);
  {
    MutexLock lock(changing_);
    look();
  }
  looker_ = std::jthread([this](const std::stop_token& stop) { look_loop(stop); });
}

WrittenCollections::~WrittenCollections() = default;

Result<std::shared_ptr<CollectionWriter>> WrittenCollections::find(const std::string& collection) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(collection);
  if (found == entries_.end()) return missing(collection);
  if (!found->second.writer) return found->second.error;
  return found->second.writer;
}

Result<bool> WrittenCollections::create(const std::string& collection, std::string_view settings) {
  if (!repository::is_safe_name(collection))
    return Error(Code::kInvalid, "'" + collection.substr(0, 200) + "' is no name of a collection: use [A-Za-z0-9._-]");
  MutexLock lock(changing_);
  look();
  {
    MutexLock entries(mutex_);
    if (entries_.contains(collection)) return false;
    if (entries_.size() >= options_.max_collections)
      return Error(Code::kOverloaded,
                   "there are " + std::to_string(entries_.size()) + " collections: see --max-collections");
  }
  const bool made = FROND_TRY(CollectionWriter::create(options_, collection, settings));
  open(collection);
  return made;
}

Result<void> WrittenCollections::remove(const std::string& collection) {
  MutexLock lock(changing_);
  {
    const auto writer = FROND_TRY(find(collection));
    (void)writer;
  }
  forget(collection);
  // Whoever uses the writer still, ends soon: nothing is accepted in a folder that is gone.
  const auto held = FROND_TRY(open_writer(options_.repository, collection, {}, kLockPatience, {}));
  std::error_code failed;
  const fs::path gone = options_.repository / removed_name(collection);
  fs::rename(options_.repository / collection, gone, failed);
  if (failed) return Error(Code::kUnavailable, collection + " can't be removed: " + failed.message());
  fs::remove_all(gone, failed);
  if (failed) log_.warn("a removed collection's files can't be removed", {{"folder", gone.string()}});
  log_.info("collection removed", {{"collection", collection}});
  return {};
}

void WrittenCollections::look_loop(const std::stop_token& stop) {
  name_this_thread("collections");
  while (!stop.stop_requested()) {
    MutexLock lock(changing_);
    wake_.wait_for(changing_, stop, kLookEvery, [] { return false; });
    if (!stop.stop_requested()) look();
  }
}

void WrittenCollections::look() {
  std::vector<std::string> known, found;
  {
    MutexLock entries(mutex_);
    for (const auto& [name, entry] : entries_) known.push_back(name);
  }
  for (const std::string& name : known)
    if (!is_collection(options_.repository, name)) forget(name);
  std::error_code failed;
  for (fs::directory_iterator at(options_.repository, failed); !failed && at != fs::directory_iterator();
       at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (is_collection(options_.repository, name)) found.push_back(name);
  }
  std::ranges::sort(found);
  for (const std::string& name : found) {
    {
      MutexLock entries(mutex_);
      const auto entry = entries_.find(name);
      if (entry != entries_.end() && entry->second.writer) continue;
      if (entry == entries_.end() && entries_.size() >= options_.max_collections) {
        if (!told_too_many_) log_.warn("more collections than --max-collections: not all are written");
        told_too_many_ = true;
        break;
      }
    }
    open(name);
  }
}

void WrittenCollections::open(const std::string& collection) {
  auto opened = CollectionWriter::open(options_, collection, building_, metrics_, log_);
  MutexLock entries(mutex_);
  Entry& entry = entries_[collection];
  if (opened) {
    entry.writer = *std::move(opened);
    log_.info("writing a collection",
              {{"collection", collection}, {"pending", std::to_string(entry.writer->state().pending_operations)}});
    return;
  }
  if (entry.error.message() != opened.error().message())
    log_.warn("a collection is not written here", {{"collection", collection}, {"reason", opened.error().message()}});
  entry.error = opened.error();
}

// Its writer ends when nobody uses it any more, most often here.
void WrittenCollections::forget(const std::string& collection) {
  std::shared_ptr<CollectionWriter> writer;
  MutexLock entries(mutex_);
  const auto found = entries_.find(collection);
  if (found == entries_.end()) return;
  writer = std::move(found->second.writer);
  entries_.erase(found);
}

void WrittenCollections::tell() {
  double writing = 0, standby = 0, pending = 0, bytes = 0;
  {
    MutexLock entries(mutex_);
    for (const auto& [name, entry] : entries_) {
      ++(entry.writer ? writing : standby);
      if (!entry.writer) continue;
      const auto state = entry.writer->state();
      pending += static_cast<double>(state.pending_operations);
      bytes += static_cast<double>(state.pending_bytes);
    }
  }
  auto to = metrics_;
  to.writing.set(writing);
  to.standby.set(standby);
  to.pending.set(pending);
  to.pending_bytes.set(bytes);
}

}  // namespace frond::indexer::write
