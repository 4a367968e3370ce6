// How a collection is made, and how a service gets to write it: its files are found, its log is opened, and its lease
// is taken, where there are leases.
#include <system_error>
#include <utility>

#include "common/repository/repository.h"
#include "indexer/build_lock.h"
#include "indexer/write/collection_lease.h"
#include "indexer/write/collection_writer.h"

namespace frond::indexer::write {
namespace {

namespace fs = std::filesystem;

PublishedChanges changes_of(const Result<repository::Manifest>& current) {
  return current ? PublishedChanges{current->log_id, current->log_sequence} : PublishedChanges();
}

}  // namespace

Result<repository::Manifest> current_manifest(const repository::RepositorySource& source) {
  const Generation number = FROND_TRY(source.current());
  auto manifest = source.manifest(number);
  if (manifest || manifest.error().code() != Code::kNotFound) return manifest;
  return Error(Code::kCorrupt, "the manifest of its current generation is missing: " + manifest.error().message());
}

Result<LogLoss> CollectionWriter::accept_loss(const CollectionPlaces& places, const std::string& collection) {
  const auto source = FROND_TRY(places.source(collection));
  const auto current = current_manifest(*source);
  if (!current && current.error().code() != Code::kNotFound) return current.error();
  return write::accept_loss(places.folder(collection) / kLogFolder, changes_of(current));
}

Result<bool> CollectionWriter::create(const WriterOptions& options, const CollectionPlaces& places,
                                      const std::string& collection, std::string_view settings,
                                      const WriteMetrics& metrics, Logger& logger) {
  FROND_TRY(settings_from_json(settings));
  FROND_TRY(places.expect_room(collection));
  const auto source = FROND_TRY(places.source(collection));
  const auto current = source->current();
  if (current) return false;
  if (current.error().code() != Code::kNotFound) return current.error();
  // Its folders; and so no build is in the middle of publishing the first generation.
  const auto writer = FROND_TRY(open_writer(options.repository, collection, options.objects, kLockPatience, {}));
  const std::string_view kept = settings.empty() ? "{}" : settings;
  FROND_TRY(places.expect_kind(collection));
  if (places.has_leases()) {
    if (!FROND_TRY(places.settings(collection)).empty()) return false;
    FROND_TRY(places.remove_stale_log(collection, metrics, logger));
    return places.put_settings(collection, kept);
  }
  const auto log = FROND_TRY(OperationLog::open(places.folder(collection) / kLogFolder, {}));
  if (!FROND_TRY(log->settings()).empty()) return false;
  FROND_TRY(log->set_settings(kept));
  return true;
}

Result<std::unique_ptr<CollectionWriter>> CollectionWriter::open(const WriterOptions& options,
                                                                 const CollectionPlaces& places,
                                                                 const std::string& collection, Standby& standby,
                                                                 SharedWork& shared, const WriteMetrics& metrics,
                                                                 Logger& log) {
  const Error missing(Code::kNotFound, "there is no collection " + collection);
  Held held;
  held.source = FROND_TRY(places.source(collection));
  held.folder = places.folder(collection);
  const fs::path log_folder = held.folder / kLogFolder;
  std::error_code failed;
  auto current = current_manifest(*held.source);
  if (!current && current.error().code() != Code::kNotFound) return current.error();
  FROND_TRY(places.expect_kind(collection));
  if (!current && !places.has_leases() && !fs::is_directory(log_folder, failed) &&
      !fs::exists(log_head_path(log_folder), failed))
    return missing;
  if (places.has_leases() && !fs::create_directories(held.folder, failed) && failed)
    return Error(Code::kUnavailable, held.folder.string() + ": " + failed.message());
  const SteadyClock clock;
  Logger named(log, "collection", collection);
  if (places.has_leases()) {
    held.lease_place =
        FROND_TRY(lease_place(options.repository, collection, options.objects, options.lease, options.lease_stop));
    if (!standby.log_id.empty())  // the log is not opened for nothing
      FROND_TRY(repository::WriterLease::expect_free(*held.lease_place, standby.watch,
                                                     {standby.log_id, options.lease, options.any_log}, clock));
  }
  const auto open_log = [&]() -> Result<std::unique_ptr<OperationLog>> {
    auto opened = OperationLog::open(log_folder, changes_of(current));
    if (opened || opened.error().code() != Code::kCorrupt) return opened;
    return Error(Code::kCorrupt, opened.error().message() +
                                     ". Put its files back as they were, or go on without what " +
                                     "is lost: frond-indexer accept-loss, with the service's --repository" +
                                     (places.has_leases() ? " and --state" : "") + ", --collection " + collection);
  };
  held.operations = FROND_TRY(open_log());
  if (held.operations->was_shortened())
    named.warn("the log has lost what was published already; requests that come again may not be known any more",
               {{"log", log_folder.string()}});
  std::string settings = FROND_TRY(held.operations->settings());
  WriterOptions with_epoch = options;
  if (places.has_leases()) {
    // A log that was moved here, of a service without leases, has settings of its own.
    if (!settings.empty() && FROND_TRY(held.operations->epoch()) == 0)
      FROND_TRY(places.put_settings(collection, settings));
    settings = FROND_TRY(places.settings(collection));
    if (!current && settings.empty()) return missing;
    standby.log_id = held.operations->id();
    held.lease = FROND_TRY(take_lease({held.operations->id(), options.lease, options.any_log}, *held.lease_place,
                                      standby.watch, held.folder, *held.operations, metrics, named));
    with_epoch.objects.epoch = held.lease->epoch();
    with_epoch.objects.log = held.operations->id();
    if (places.in_store()) with_epoch.objects.memory = std::make_shared<repository::ObjectMemory>();
    // The writer before may have published until now.
    current = current_manifest(*held.source);
    if (!current && current.error().code() != Code::kNotFound) return current.error();
    held.operations.reset();
    held.operations = FROND_TRY(open_log());
  }
  // What is accepted from here on is of no life (ADR 40), also if the log gets a lease again later.
  if (!places.has_leases() && FROND_TRY(held.operations->epoch()) != 0) FROND_TRY(held.operations->set_epoch(0));
  if (!current && settings.empty())
    return Error(Code::kNotFound, log_folder.string() + " has no settings: a creation of collection " + collection +
                                      " was cut off. Make it again, or remove it");
  held.settings = FROND_TRY(settings_from_json(settings));
  held.not_indexed = FROND_TRY(NotIndexed::open(held.folder));
  return std::unique_ptr<CollectionWriter>(
      new CollectionWriter(std::move(with_epoch), places, collection, std::move(held), shared, metrics, log));
}

}  // namespace frond::indexer::write
