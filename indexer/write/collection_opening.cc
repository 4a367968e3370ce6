// How a collection is made, and how a service gets to write it: its files are found, its log is opened, and its lease
// is taken, where there are leases.
#include <algorithm>
#include <system_error>
#include <utility>

#include "common/base/boot_clock.h"
#include "indexer/write/collection_writer.h"

namespace frond::indexer::write {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

// nullopt: nothing is published.
Result<std::optional<repository::Manifest>> published_manifest(const repository::RepositorySource& source) {
  auto current = current_manifest(source);
  if (current) return std::optional(*std::move(current));
  if (current.error().code() == Code::kNotFound) return std::optional<repository::Manifest>();
  return current.error();
}
PublishedChanges changes_of(const std::optional<repository::Manifest>& current) {
  return current ? PublishedChanges{current->log_id, current->log_sequence} : PublishedChanges();
}

// Puts all that waits in the log into this file, for people: logs and counts it. `holder`: of another service, which is
// why; it may be unknown.
Result<void> set_aside_all(OperationLog& operations, const fs::path& file, const std::string& why,
                           const std::string& holder, WriteMetrics& metrics, Logger& log) {
  const std::uint64_t waiting = operations.operations();
  if (waiting == 0) return {};
  FROND_TRY(operations.set_aside(file));
  metrics.set_aside.add(static_cast<double>(waiting));
  log.error("accepted changes are set aside",
            {{"reason", why}, {"changes", std::to_string(waiting)}, {"file", file.string()}, {"service", holder}});
  return {};
}

// Of a collection that is being made: moves away a log of an earlier one of its name, which another service removed.
// kOverloaded: another service has it open.
Result<void> remove_stale_log(WriterService& service, const std::string& collection) {
  const fs::path local = service.places->folder(collection), stale = local / kLogFolder;
  std::error_code unknown;
  if (!fs::is_directory(stale, unknown)) return {};
  {
    fs::remove(log_head_path(stale), unknown);  // what it has lost of an earlier life does not matter
    const auto operations = FROND_TRY(OperationLog::open(stale, {}));
    Logger named(service.log, "collection", collection);
    FROND_TRY(set_aside_all(*operations, overtaken_file(local, 0), "the collection was removed since", "",
                            service.metrics, named));
  }
  fs::remove(log_head_path(stale), unknown);
  return service.places->remove_folder(stale, local.parent_path(), service.log);
}

}  // namespace

Result<repository::Manifest> current_manifest(const repository::RepositorySource& source) {
  const Generation number = FROND_TRY(source.current());
  auto manifest = source.manifest(number);
  if (manifest || manifest.error().code() != Code::kNotFound) return manifest;
  return Error(Code::kCorrupt, "the manifest of its current generation is missing: " + manifest.error().message());
}

Result<std::unique_ptr<repository::LeasePlace>> lease_place(const WriterOptions& options,
                                                            const std::string& collection) {
  repository::ObjectWriting objects = options.objects;
  objects::Access& access = objects.access;
  access.stop = options.lease_stop;
  access.retries.time = std::min(access.retries.time, options.lease / 4);
  access.window = std::clamp(std::chrono::duration_cast<seconds>(options.lease / 4), seconds(1), access.window);
  return repository::open_lease_place(options.repository, collection, objects);
}

Result<LogLoss> CollectionWriter::accept_loss(const CollectionPlaces& places, const std::string& collection) {
  const auto source = FROND_TRY(places.source(collection));
  const auto current = FROND_TRY(published_manifest(*source));
  return write::accept_loss(places.folder(collection) / kLogFolder, changes_of(current));
}

Result<bool> CollectionWriter::create(WriterService& service, const std::string& collection,
                                      std::string_view settings) {
  const CollectionPlaces& places = *service.places;
  FROND_TRY(kind_from_json(settings));
  FROND_TRY(places.expect_room(collection));
  const auto source = FROND_TRY(places.source(collection));
  const auto current = source->current();
  if (current) return false;
  if (current.error().code() != Code::kNotFound) return current.error();
  // Its folders; and so no build is in the middle of publishing the first generation.
  const auto writer = FROND_TRY(change::open_writer(service.target(collection), {}, kLockPatience));
  const std::string_view kept = settings.empty() ? "{}" : settings;
  FROND_TRY(places.expect_kind(collection));
  if (places.has_leases()) {
    if (!FROND_TRY(places.settings(collection)).empty()) return false;
    FROND_TRY(remove_stale_log(service, collection));
    return places.put_settings(collection, kept);
  }
  const auto log = FROND_TRY(OperationLog::open(places.folder(collection) / kLogFolder, {}));
  if (!FROND_TRY(log->settings()).empty()) return false;
  FROND_TRY(log->set_settings(kept));
  return true;
}

Result<std::unique_ptr<CollectionWriter>> CollectionWriter::open(WriterService& service, const std::string& collection,
                                                                 Standby& standby) {
  std::unique_ptr<CollectionWriter> writer(new CollectionWriter(service, collection));
  FROND_TRY(writer->take(standby));
  writer->start();
  return writer;
}

Result<void> CollectionWriter::open_log(const std::optional<repository::Manifest>& current) {
  operations_.reset();
  auto opened = OperationLog::open(folder_ / kLogFolder, changes_of(current));
  if (!opened && opened.error().code() == Code::kCorrupt)
    return Error(Code::kCorrupt, opened.error().message() +
                                     ". Put its files back as they were, or go on without what is lost: frond-indexer "
                                     "accept-loss, with the service's --repository" +
                                     (service_.places->has_leases() ? " and --state" : "") + ", --collection " +
                                     collection_);
  operations_ = FROND_TRY(std::move(opened));
  return {};
}

Result<void> CollectionWriter::take(Standby& standby) {
  const CollectionPlaces& places = *service_.places;
  const WriterOptions& options = service_.options;
  const Error missing(Code::kNotFound, "there is no collection " + collection_);
  const fs::path log_folder = folder_ / kLogFolder;
  std::error_code failed;
  source_ = FROND_TRY(places.source(collection_));
  auto current = FROND_TRY(published_manifest(*source_));
  FROND_TRY(places.expect_kind(collection_));
  if (places.has_leases()) {
    if (!fs::create_directories(folder_, failed) && failed)
      return Error(Code::kUnavailable, folder_.string() + ": " + failed.message());
    lease_place_ = FROND_TRY(lease_place(options, collection_));
    if (!standby.log_id.empty())  // the log is not opened for nothing
      FROND_TRY(repository::WriterLease::expect_free(*lease_place_, standby.watch,
                                                     {standby.log_id, options.lease, options.any_log}, BootClock()));
  } else if (!current && !fs::is_directory(log_folder, failed) && !fs::exists(log_head_path(log_folder), failed)) {
    return missing;
  }
  FROND_TRY(open_log(current));
  if (operations_->was_shortened())
    log_.warn("the log has lost what was published already; requests that come again may not be known any more",
              {{"log", log_folder.string()}});
  std::string settings = FROND_TRY(operations_->settings());
  if (places.has_leases()) {
    // A log that was moved here, of a service without leases, has settings of its own.
    if (!settings.empty() && FROND_TRY(operations_->epoch()) == 0)
      FROND_TRY(places.put_settings(collection_, settings));
    settings = FROND_TRY(places.settings(collection_));
    if (!current && settings.empty()) return missing;
    FROND_TRY(take_lease(standby));
    // The writer before may have published until now.
    current = FROND_TRY(published_manifest(*source_));
    FROND_TRY(open_log(current));
  } else if (FROND_TRY(operations_->epoch()) != 0) {
    // What is accepted from here on is of no life (ADR 40), also if the log gets a lease again later.
    FROND_TRY(operations_->set_epoch(0));
  }
  if (!current && settings.empty())
    return Error(Code::kNotFound, log_folder.string() + " has no settings: a creation of collection " + collection_ +
                                      " was cut off. Make it again, or remove it");
  settings_ = FROND_TRY(kind_from_json(settings));
  if (current) {
    FROND_TRY(take_schema(*current));
  } else {
    const MutexLock lock(mutex_);
    schema_ = settings_.schema;
  }
  const std::string metadata = FROND_TRY(places.metadata(collection_));
  FROND_TRY(take_wanted_schema(metadata));
  not_indexed_ = FROND_TRY(NotIndexed::open(folder_));
  target_.log_id = operations_->id();
  return {};
}

// What this log still has of an earlier epoch is older than what another service has accepted since, or of a collection
// that was removed before this one was made. It is kept in a file, for people.
Result<void> CollectionWriter::set_aside_overtaken(const std::optional<repository::LeaseRecord>& last,
                                                   std::uint64_t epoch) {
  const std::uint64_t used_in = FROND_TRY(operations_->epoch());
  const bool other_life = used_in != 0 && repository::life_of(used_in) != repository::life_of(epoch);
  if (other_life) FROND_TRY(operations_->forget_keys());
  if (!other_life && (!last || last->log == operations_->id())) return {};
  return set_aside_all(
      *operations_, overtaken_file(folder_, other_life ? used_in : last->epoch),
      other_life ? "the collection was removed, and made again since" : "another service wrote the collection since",
      last ? last->holder : "", service_.metrics, log_);
}

// For the log that is open, which notes the epoch.
Result<void> CollectionWriter::take_lease(Standby& standby) {
  static const BootClock clock;
  const WriterOptions& options = service_.options;
  standby.log_id = operations_->id();
  lease_ = FROND_TRY(repository::WriterLease::acquire(
      *lease_place_, standby.watch, {operations_->id(), options.lease, options.any_log}, clock,
      [&](const auto& last, std::uint64_t epoch) { return set_aside_overtaken(last, epoch); }));
  FROND_TRY(operations_->set_epoch(lease_->epoch()));
  log_.info("holds the lease of a collection", {{"epoch", std::to_string(lease_->epoch())}});
  service_.metrics.lease_taken.add();
  const auto& last = lease_->taken_from();
  if (last && !(last->released && last->waiting == 0))
    log_.error("a collection is taken over without the log of its last writer",
               {{"service", last->holder},
                {"epoch", std::to_string(last->epoch)},
                {"waiting_when_last_heard_of", std::to_string(last->waiting)}});
  target_.objects.epoch = lease_->epoch();
  target_.objects.log = operations_->id();
  if (service_.places->in_store()) target_.objects.memory = std::make_shared<repository::ObjectMemory>();
  return {};
}

}  // namespace frond::indexer::write
