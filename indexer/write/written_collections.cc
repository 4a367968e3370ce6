#include "indexer/write/written_collections.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "common/base/thread_name.h"
#include "common/repository/repository.h"
#include "indexer/build_lock.h"

namespace frond::indexer::write {
namespace {

using std::chrono::milliseconds;
constexpr std::chrono::seconds kLookEvery{1};
constexpr std::chrono::seconds kLongestLook{5};  // at an object store, which is asked for each collection

Error taken_over() { return Error(Code::kOverloaded, "another service has just taken it over"); }
Error service_ends() { return Error(Code::kUnavailable, "the service ends"); }
Error missing(const std::string& collection) {
  return Error(Code::kNotFound, "there is no collection " + collection.substr(0, 200));
}

}  // namespace

Result<std::unique_ptr<WrittenCollections>> WrittenCollections::open(WriterOptions options, metrics::Registry& registry,
                                                                     Logger& log) {
  auto places = FROND_TRY(CollectionPlaces::open(options.repository, options.objects));
  return std::unique_ptr<WrittenCollections>(
      new WrittenCollections(std::move(options), std::move(places), registry, log));
}

WrittenCollections::WrittenCollections(WriterOptions options, std::unique_ptr<CollectionPlaces> places,
                                       metrics::Registry& registry, Logger& log)
    : options_(std::move(options)), places_(std::move(places)), log_(log), metrics_(registry) {
  registry.before_scrape([this] { tell(); });
  places_->remove_remains();
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
  if (found->second.writer->lost()) return taken_over();
  return found->second.writer;
}

Result<bool> WrittenCollections::create(const std::string& collection, std::string_view settings) {
  if (!repository::is_safe_name(collection))
    return Error(Code::kInvalid, "'" + collection.substr(0, 200) + "' is no name of a collection: use [A-Za-z0-9._-]");
  MutexLock lock(changing_);
  look();
  {
    MutexLock entries(mutex_);
    if (ending_) return service_ends();
    if (entries_.contains(collection)) return false;
    if (entries_.size() >= options_.max_collections)
      return Error(Code::kOverloaded,
                   "there are " + std::to_string(entries_.size()) + " collections: see --max-collections");
  }
  const bool made = FROND_TRY(CollectionWriter::create(options_, *places_, collection, settings));
  open(collection);
  return made;
}

Result<void> WrittenCollections::remove(const std::string& collection) {
  MutexLock lock(changing_);
  if (ending()) return service_ends();
  {
    const auto writer = FROND_TRY(find(collection));
    forget(collection);
    writer->abandon();
  }
  // Whoever uses the writer still, ends soon: nothing is accepted in a folder that is gone.
  const auto held = FROND_TRY(open_writer(options_.repository, collection, options_.objects, kLockPatience, {}));
  FROND_TRY(places_->remove(collection, log_));
  standbys_.erase(collection);
  log_.info("collection removed", {{"collection", collection}});
  return {};
}

bool WrittenCollections::ending() const {
  const MutexLock entries(mutex_);
  return ending_;
}

void WrittenCollections::finish(std::chrono::steady_clock::time_point end) {
  std::map<std::string, std::shared_ptr<CollectionWriter>> writers;
  {
    const MutexLock entries(mutex_);
    ending_ = true;
    for (const auto& [name, entry] : entries_)
      if (entry.writer) writers.emplace(name, entry.writer);
  }
  for (const auto& [name, writer] : writers) writer->stop_accepting();
  for (auto& [name, writer] : writers) {
    if (!writer->await_published(end)) {
      const auto state = writer->state();
      log_.warn("accepted changes stay in the log: the next service with it publishes them",
                {{"collection", name}, {"pending", std::to_string(state.pending_operations)}, {"reason", state.error}});
    }
    {
      const MutexLock entries(mutex_);
      entries_[name] = {nullptr, service_ends()};
    }
    writer.reset();  // releases its lease
  }
}

void WrittenCollections::look_loop(const std::stop_token& stop) {
  name_this_thread("collections");
  const milliseconds every =
      places_->in_store() ? std::clamp<milliseconds>(options_.lease / 4, kLookEvery, kLongestLook) : kLookEvery;
  while (!stop.stop_requested()) {
    MutexLock lock(changing_);
    wake_.wait_for(changing_, stop, every, [] { return false; });
    if (!stop.stop_requested()) look();
  }
}

void WrittenCollections::look() {
  if (ending()) return;
  std::vector<std::string> gone;
  std::vector<std::shared_ptr<CollectionWriter>> lost;  // end after the lock is given back
  const auto found = places_->names();
  if (!found) {
    if (!told_unreadable_) log_.warn("the repository can't be read", {{"reason", found.error().message()}});
    told_unreadable_ = true;
    return;
  }
  told_unreadable_ = false;
  {
    MutexLock entries(mutex_);
    for (auto& [name, entry] : entries_) {
      if (!std::ranges::binary_search(*found, name)) gone.push_back(name);
      if (!entry.writer || !entry.writer->lost()) continue;
      entry.error = taken_over();
      lost.push_back(std::move(entry.writer));
    }
  }
  lost.clear();
  for (const std::string& name : gone) forget(name);
  for (const std::string& name : *found) {
    places_->note_current(name);
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
  auto opened =
      CollectionWriter::open(options_, *places_, collection, standbys_[collection], building_, metrics_, log_);
  MutexLock entries(mutex_);
  Entry& entry = entries_[collection];
  if (ending_) {
    entry.error = service_ends();
    return;
  }
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

WrittenCollections::States WrittenCollections::states() const {
  States states;
  MutexLock entries(mutex_);
  for (const auto& [name, entry] : entries_) {
    if (entry.writer && !entry.writer->lost())
      ++states.writing;
    else
      states.standby.emplace(name, (entry.writer ? taken_over() : entry.error).message());
  }
  return states;
}

void WrittenCollections::tell() {
  double writing = 0, standby = 0, pending = 0, bytes = 0;
  {
    MutexLock entries(mutex_);
    for (const auto& [name, entry] : entries_) {
      ++(entry.writer && !entry.writer->lost() ? writing : standby);
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
