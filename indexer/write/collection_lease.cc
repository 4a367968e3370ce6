#include "indexer/write/collection_lease.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace frond::indexer::write {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string utc_name() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  (void)std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &utc);
  return text;
}

// What this log still has of an earlier epoch is older than what another service has accepted since, or of a collection
// that was removed before this one was made. It is kept in a file, for people.
Result<void> set_aside_overtaken(const std::optional<repository::LeaseRecord>& last, std::uint64_t epoch,
                                 const fs::path& folder, OperationLog& operations, const WriteMetrics& metrics,
                                 Logger& log) {
  const std::uint64_t used_in = FROND_TRY(operations.epoch());
  const bool other_life = used_in != 0 && repository::life_of(used_in) != repository::life_of(epoch);
  if (other_life) FROND_TRY(operations.forget_keys());
  if (!other_life && (!last || last->log == operations.id())) return {};
  return set_aside_all(
      operations, overtaken_file(folder, other_life ? used_in : last->epoch),
      other_life ? "the collection was removed, and made again since" : "another service wrote the collection since",
      last ? last->holder : "", metrics, log);
}

}  // namespace

fs::path overtaken_file(const fs::path& folder, std::uint64_t epoch) {
  return folder / ("overtaken-" + utc_name() + "-" + std::to_string(epoch) + ".jsonl");
}

Result<void> set_aside_all(OperationLog& operations, const fs::path& file, const std::string& why,
                           const std::string& service, const WriteMetrics& metrics, Logger& log) {
  const std::uint64_t waiting = operations.operations();
  if (waiting == 0) return {};
  FROND_TRY(operations.set_aside(file));
  auto to = metrics;
  to.set_aside.add(static_cast<double>(waiting));
  log.error("accepted changes are set aside",
            {{"reason", why}, {"changes", std::to_string(waiting)}, {"file", file.string()}, {"service", service}});
  return {};
}

Result<std::unique_ptr<repository::LeasePlace>> lease_place(const fs::path& repository, const std::string& collection,
                                                            repository::ObjectWriting objects, milliseconds lease,
                                                            std::stop_token stop) {
  objects::Access& access = objects.access;
  access.stop = std::move(stop);
  access.retries.time = std::min(access.retries.time, lease / 4);
  access.window = std::clamp(std::chrono::duration_cast<seconds>(lease / 4), seconds(1), access.window);
  return repository::open_lease_place(repository, collection, objects);
}

Result<std::unique_ptr<repository::WriterLease>> take_lease(const repository::LeaseTerms& terms,
                                                            repository::LeasePlace& place,
                                                            repository::LeaseWatch& watch, const fs::path& folder,
                                                            OperationLog& operations, const WriteMetrics& metrics,
                                                            Logger& log) {
  static const SteadyClock clock;
  auto lease = FROND_TRY(repository::WriterLease::acquire(
      place, watch, terms, clock, [&](const std::optional<repository::LeaseRecord>& last, std::uint64_t epoch) {
        return set_aside_overtaken(last, epoch, folder, operations, metrics, log);
      }));
  FROND_TRY(operations.set_epoch(lease->epoch()));
  log.info("holds the lease of a collection", {{"epoch", std::to_string(lease->epoch())}});
  auto to = metrics;
  to.lease_taken.add();
  const auto& last = lease->taken_from();
  if (last && !(last->released && last->waiting == 0))
    log.error("a collection is taken over without the log of its last writer",
              {{"service", last->holder},
               {"epoch", std::to_string(last->epoch)},
               {"waiting_when_last_heard_of", std::to_string(last->waiting)}});
  return lease;
}

}  // namespace frond::indexer::write
