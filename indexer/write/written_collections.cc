#include "indexer/write/written_collections.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>
#include <vector>

#include "common/base/boot_clock.h"
#include "common/base/threads/pause.h"
#include "common/base/threads/thread_name.h"
#include "common/files/write.h"
#include "common/repository/repository.h"
#include "common/schema/json.h"

namespace frond::indexer::write {
namespace {

using std::chrono::milliseconds;
constexpr std::chrono::seconds kLookEvery{1};
constexpr std::chrono::seconds kLookAtDamage{5};
constexpr std::chrono::seconds kLongestLook{5};  // at an object store, which is asked for each collection

using metrics::Family;
constexpr Family kAccepted{"frond_indexer_accepted_changes_total",
                           "Documents and removals that were accepted over HTTP, and synced to the log."};
constexpr Family kPending{"frond_indexer_pending_changes", "Accepted changes that are not published yet."};
constexpr Family kPendingBytes{"frond_indexer_pending_bytes", "Bytes of these, over all collections."};
constexpr Family kPendingSeconds{"frond_indexer_pending_seconds",
                                 "For how long the oldest of these has waited, as seen at each scrape."};
constexpr Family kPublications{"frond_indexer_publications_total",
                               "Publications of accepted changes, by outcome: ok, or failed (tried again)."};
constexpr Family kPublishSeconds{"frond_indexer_publish_seconds",
                                 "Seconds from reading accepted changes out of the log to their new generation."};
constexpr Family kCompactions{"frond_indexer_compactions_total",
                              "Background compactions that had something to merge, by outcome: ok or failed."};
constexpr Family kLeases{"frond_indexer_lease_events_total",
                         "Leases of collections in an object store, by event: taken, renewed, failed (a "
                         "renewal, tried again), lost (another "
                         "service took the collection over, or it was removed)."};
constexpr Family kSetAside{
    "frond_indexer_set_aside_changes_total",
    "Accepted changes that were put into a file instead of being published, since another service has written or "
    "removed the collection."};
constexpr Family kNotIndexed{"frond_indexer_not_indexed_documents",
                             "Accepted documents that can't be indexed. They are in files not-indexed.jsonl "
                             "until somebody removes these."};
constexpr Family kCollections{"frond_indexer_written_collections",
                              "Collections by state: writing, standby (another service writes them), or "
                              "refused (what is stored of them is damaged)."};

Error taken_over() { return Error(Code::kOverloaded, "another service has just taken it over"); }
Error service_ends() { return Error(Code::kUnavailable, "the service ends"); }
Error missing(const std::string& collection) {
  return Error(Code::kNotFound, "there is no collection " + collection.substr(0, 200));
}

}  // namespace

WriteMetrics::WriteMetrics(metrics::Registry& registry)
    : accepted(registry.counter(kAccepted)),
      published(registry.counter(kPublications, {{"outcome", "ok"}})),
      failed(registry.counter(kPublications, {{"outcome", "failed"}})),
      compacted(registry.counter(kCompactions, {{"outcome", "ok"}})),
      compactions_failed(registry.counter(kCompactions, {{"outcome", "failed"}})),
      lease_taken(registry.counter(kLeases, {{"event", "taken"}})),
      lease_renewed(registry.counter(kLeases, {{"event", "renewed"}})),
      lease_failed(registry.counter(kLeases, {{"event", "failed"}})),
      lease_lost(registry.counter(kLeases, {{"event", "lost"}})),
      set_aside(registry.counter(kSetAside)),
      publish_seconds(registry.histogram(kPublishSeconds, metrics::latency_seconds())),
      pending(registry.gauge(kPending)),
      pending_bytes(registry.gauge(kPendingBytes)),
      pending_seconds(registry.gauge(kPendingSeconds)),
      not_indexed(registry.gauge(kNotIndexed)),
      writing(registry.gauge(kCollections, {{"state", "writing"}})),
      standby(registry.gauge(kCollections, {{"state", "standby"}})),
      refused(registry.gauge(kCollections, {{"state", "refused"}})) {}

Result<std::unique_ptr<WrittenCollections>> WrittenCollections::open(WriterOptions options, metrics::Registry& registry,
                                                                     Logger& log) {
  auto places = FROND_TRY(CollectionPlaces::open(options.repository, options.objects));
  return std::unique_ptr<WrittenCollections>(
      new WrittenCollections(std::move(options), std::move(places), registry, log));
}

WrittenCollections::WrittenCollections(WriterOptions options, std::unique_ptr<CollectionPlaces> places,
                                       metrics::Registry& registry, Logger& log)
    : service_(std::move(options), std::move(places), registry, log) {
  registry.before_scrape([this] { tell(); });
  this->places().remove_remains();
  {
    MutexLock lock(changing_);
    look();
  }
  looker_ = std::jthread([this](const std::stop_token& stop) { look_loop(stop); });
}

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
    return Error(Code::kInvalid, "'" + collection.substr(0, 200) +
                                     "' is no name of a collection: use 1 to 128 of [A-Za-z0-9._-], the first no dot");
  MutexLock lock(changing_);
  look();
  {
    MutexLock entries(mutex_);
    if (ending_) return service_ends();
    const auto found = entries_.find(collection);
    if (found != entries_.end() && !found->second.is_remains()) return false;
    if (taken() >= options_.max_collections)
      return Error(Code::kOverloaded, "there are " + std::to_string(taken()) + " collections: see --max-collections");
  }
  const bool made = FROND_TRY(CollectionWriter::create(service_, collection, settings));
  open(collection);
  return made;
}

Result<void> WrittenCollections::remove(const std::string& collection) {
  MutexLock lock(changing_);
  if (ending()) return service_ends();
  bool known = false;
  std::shared_ptr<CollectionWriter> writer;
  {
    const MutexLock entries(mutex_);
    const auto found = entries_.find(collection);
    known = found != entries_.end();
    if (known) writer = found->second.writer;
    if (writer && writer->lost()) return taken_over();
    if (known && !writer && found->second.error.code() == Code::kOverloaded) return found->second.error;
  }
  if (!known) {
    // It may be there and not be readable.
    const auto room = repository::is_safe_name(collection) ? places().expect_room(collection) : Result<void>();
    return !room && room.error().code() == Code::kUnavailable ? room.error() : missing(collection);
  }
  const bool opened = writer != nullptr;
  if (!opened) FROND_TRY(expect_unwritten(collection));
  forget(collection);
  if (opened) std::exchange(writer, nullptr)->abandon();
  auto removed = remove_held(collection, opened);
  if (!removed) {
    look();  // it is there still
    return removed;
  }
  standbys_.erase(collection);
  log_.info("collection removed", {{"collection", collection}});
  return {};
}

// Nobody else changes it meanwhile.
Result<void> WrittenCollections::remove_held(const std::string& collection, bool opened) {
  // Whoever uses the writer still, ends soon: nothing is accepted in a folder that is gone.
  if (opened || places().in_store()) {
    const auto held = change::open_writer(service_.target(collection), {}, kLockPatience);
    if (held) return places().remove(collection, log_);
    if (places().in_store() || held.error().code() == Code::kOverloaded) return held.error();
  }
  // A writer wants more than its LOCK: folders, and files that can be read.
  const std::filesystem::path lock = options_.repository / collection / "LOCK";
  const auto held = FROND_TRY(files::try_lock_file(lock));
  if (!held) return Error(Code::kUnavailable, lock.string() + " is held: a command changes the collection");
  return places().remove(collection, log_);
}

// Whether another service has a collection that could not be opened here.
Result<void> WrittenCollections::expect_unwritten(const std::string& collection) {
  const std::filesystem::path log = places().folder(collection) / kLogFolder;
  std::error_code unknown;
  if (std::filesystem::is_directory(log, unknown)) {
    const auto opened = OperationLog::open(log, {});
    if (!opened && opened.error().code() == Code::kOverloaded) return opened.error();
  }
  if (!places().has_leases()) return {};
  const BootClock clock;
  Standby& standby = standbys_[collection];
  const auto place = FROND_TRY(lease_place(options_, collection));
  // What its last writer did not publish is removed with it.
  return repository::WriterLease::expect_free(*place, standby.watch, {standby.log_id, options_.lease, /*any_log=*/true},
                                              clock);
}

std::size_t WrittenCollections::taken() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [](const auto& one) { return !one.second.beyond && !one.second.is_remains(); }));
}

bool WrittenCollections::ending() const {
  const MutexLock entries(mutex_);
  return ending_;
}

std::map<std::string, std::shared_ptr<CollectionWriter>> WrittenCollections::stop_accepting() {
  std::map<std::string, std::shared_ptr<CollectionWriter>> writers;
  {
    const MutexLock entries(mutex_);
    ending_ = true;
    for (const auto& [name, entry] : entries_)
      if (entry.writer) writers.emplace(name, entry.writer);
  }
  for (const auto& [name, writer] : writers) writer->stop_accepting();
  return writers;
}

void WrittenCollections::finish(std::chrono::steady_clock::time_point end) {
  auto writers = stop_accepting();
  for (auto& [name, writer] : writers) {
    if (!writer->await_published(end)) {
      const auto state = writer->state();
      log_.warn("accepted changes stay in the log: the next service with it publishes them",
                {{"collection", name}, {"pending", std::to_string(state.pending_operations)}, {"reason", state.error}});
    }
    {
      const MutexLock entries(mutex_);
      Entry& entry = entries_[name];
      entry.writer = nullptr;
      entry.error = service_ends();
    }
    writer.reset();  // releases its lease
  }
}

void WrittenCollections::look_loop(const std::stop_token& stop) {
  name_this_thread("collections");
  const milliseconds every =
      places().in_store() ? std::clamp<milliseconds>(options_.lease / 4, kLookEvery, kLongestLook) : kLookEvery;
  while (pause_for(every, stop)) {
    const MutexLock lock(changing_);
    try {
      look();
    } catch (const std::exception& thrown) {  // memory is short
      log_.warn("collections can't be looked at; it is tried again", {{"reason", thrown.what()}});
    }
  }
}

void WrittenCollections::look() {
  if (ending()) return;
  const auto found = places().names();
  if (!found) {
    if (!std::exchange(told_unreadable_, true))
      log_.warn("the repository can't be read", {{"reason", found.error().message()}});
    return;
  }
  told_unreadable_ = false;
  std::vector<std::shared_ptr<CollectionWriter>> ended;  // after the lock is given back
  {
    MutexLock entries(mutex_);
    for (auto at = entries_.begin(); at != entries_.end();) {
      Entry& entry = at->second;
      const bool gone = !std::ranges::binary_search(*found, at->first), lost = entry.writer && entry.writer->lost();
      if (lost) entry.error = taken_over();
      if (gone || lost) ended.push_back(std::move(entry.writer));
      at = gone ? entries_.erase(at) : std::next(at);
    }
  }
  ended.clear();
  for (const std::string& name : *found) {
    places().note_current(name);
    {
      MutexLock entries(mutex_);
      const auto entry = entries_.find(name);
      const bool known = entry != entries_.end();
      if (known && (entry->second.writer || std::chrono::steady_clock::now() < entry->second.again)) continue;
      if (known && entry->second.is_remains() && !places().in_store()) {
        const auto more = places().has_content(name);
        if (more && !*more) continue;
      }
      if ((!known || entry->second.beyond) && taken() >= options_.max_collections) {
        if (!std::exchange(told_too_many_, true))
          log_.warn("more collections than --max-collections: not all are written");
        Entry& beyond = entries_[name];
        beyond.beyond = true;
        beyond.error = Error(Code::kUnavailable, "there are more collections than --max-collections, " +
                                                     std::to_string(options_.max_collections));
        continue;
      }
      if (known) entry->second.beyond = false;
    }
    open(name);
  }
}

void WrittenCollections::open(const std::string& collection) {
  auto opened = CollectionWriter::open(service_, collection, standbys_[collection]);
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
  const bool damaged = opened.error().code() == Code::kCorrupt;
  if (damaged) entry.again = std::chrono::steady_clock::now() + kLookAtDamage;
  if (entry.error.message() != opened.error().message())
    log_.log(damaged ? LogLevel::kError : LogLevel::kWarn, "a collection is not written here",
             {{"collection", collection}, {"reason", opened.error().message()}});
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

Result<CollectionWriter::Metadata> WrittenCollections::metadata() const {
  const MutexLock lock(metadata_mutex_);
  return CollectionWriter::Metadata(FROND_TRY(places().metadata("")));
}

Result<CollectionWriter::Metadata> WrittenCollections::put_metadata(std::string text, const std::string& version) {
  const MutexLock lock(metadata_mutex_);
  const std::string before = CollectionWriter::Metadata(FROND_TRY(places().metadata(""))).version;
  if (before != version) return Error(Code::kOverloaded, "what is kept has the version \"" + before + "\" now");
  // Whoever reads it need not care how deep it is.
  if (FROND_TRY(schema::parse_json(text)).object() == nullptr)
    return Error(Code::kInvalid, "the body is no JSON object");
  FROND_TRY(places().put_metadata("", text));
  return CollectionWriter::Metadata(std::move(text));
}

WrittenCollections::States WrittenCollections::states() const {
  States states;
  MutexLock entries(mutex_);
  for (const auto& [name, entry] : entries_) {
    if (entry.writer && !entry.writer->lost())
      ++states.writing;
    else
      states.standby.emplace(name, (entry.writer ? taken_over() : entry.error).message());
    if (!entry.writer && entry.error.code() == Code::kCorrupt) states.refused.emplace(name, entry.error.message());
  }
  return states;
}

std::vector<Budget> WrittenCollections::budgets() const {
  return {{.flag = "--memory-limit", .amount = options_.memory_limit, .bytes = true},
          {.flag = "--max-pending-bytes", .amount = options_.max_pending_bytes, .bytes = true}};
}

void WrittenCollections::tell() {
  double pending = 0, bytes = 0, seconds = 0, not_indexed = 0;
  const auto now = std::chrono::steady_clock::now();
  const States states = this->states();
  {
    MutexLock entries(mutex_);
    for (auto& [name, entry] : entries_) {
      if (!entry.writer) continue;
      const auto state = entry.writer->state();
      pending += static_cast<double>(state.pending_operations);
      bytes += static_cast<double>(state.pending_bytes);
      not_indexed += static_cast<double>(state.not_indexed.documents);
      if (state.published >= entry.awaited) {
        entry.awaited = state.accepted;
        entry.awaited_since = now;
      }
      if (state.pending_operations > 0)
        seconds = std::max(seconds, std::chrono::duration<double>(now - entry.awaited_since).count());
    }
  }
  WriteMetrics& to = service_.metrics;
  to.writing.set(static_cast<double>(states.writing));
  to.standby.set(static_cast<double>(states.standby.size() - states.refused.size()));
  to.refused.set(static_cast<double>(states.refused.size()));
  to.pending.set(pending);
  to.pending_bytes.set(bytes);
  to.pending_seconds.set(seconds);
  to.not_indexed.set(not_indexed);
}

}  // namespace frond::indexer::write
