#include "common/repository/leases/writer_lease.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "common/repository/manifest_members.h"
#include "common/repository/storage/storage.h"

namespace frond::repository {
namespace {

using nlohmann::json;

std::string said(const LeaseRecord& record) { return record.holder + ", epoch " + std::to_string(record.epoch); }

}  // namespace

std::string this_process() {
  char host[256] = "unknown";
  (void)::gethostname(host, sizeof host - 1);
  return std::string(host) + " process " + std::to_string(::getpid());
}

std::uint64_t random_life() {
  std::random_device random;
  return std::uniform_int_distribution<std::uint64_t>(1, 0xffff'ffff)(random);
}

std::string to_json(const LeaseRecord& record) {
  const nlohmann::ordered_json made = {{"epoch", record.epoch},       {"holder", record.holder},
                                       {"log", record.log},           {"length_ms", record.length_ms},
                                       {"renewals", record.renewals}, {"waiting", record.waiting},
                                       {"released", record.released}};
  return made.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<LeaseRecord> lease_record_from_json(std::string_view text) {
  const Error wrong(Code::kCorrupt, "is no record of a lease");
  const json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  std::string error;
  Members members(parsed, {}, error);
  LeaseRecord record{members.number("epoch"),     members.text("holder"),     members.safe_name("log"),
                     members.number("length_ms"), members.number("renewals"), members.number("waiting"),
                     members.flag("released")};
  constexpr std::uint64_t kLongest = 24 * 3'600'000;
  if (!error.empty() || record.epoch == 0 || record.length_ms == 0 || record.length_ms > kLongest) return wrong;
  return record;
}

Result<std::unique_ptr<LeasePlace>> open_lease_place(const std::filesystem::path& root, const std::string& collection,
                                                     const ObjectWriting& objects) {
  std::filesystem::path local = FROND_TRY(local_folder(root, collection, objects));
  if (!objects::is_object_place(root.string())) return make_folder_lease_place(root / collection);
  return make_object_lease_place(FROND_TRY(objects::ObjectStore::open(root.string(), objects.access)), collection,
                                 std::move(local));
}

namespace {
// 0: there is none.
Result<std::uint64_t> newest_of(const std::vector<std::uint64_t>& epochs,
                                const std::function<Result<std::uint64_t>()>& current_epoch) {
  if (epochs.empty()) return 0;
  const auto [lowest, highest] = std::ranges::minmax(epochs);
  if (life_of(lowest) == life_of(highest)) return highest;
  const std::uint64_t there = FROND_TRY(current_epoch());
  std::uint64_t newest = 0;
  for (const std::uint64_t epoch : epochs)
    if (there != 0 && life_of(epoch) == life_of(there)) newest = std::max(newest, epoch);
  return newest != 0 ? newest : highest;
}
}  // namespace

Result<std::optional<LeasePlace::Found>> newest_record(
    const std::function<Result<std::vector<std::uint64_t>>()>& epochs,
    const std::function<Result<std::uint64_t>()>& current_epoch,
    const std::function<Result<std::string>(std::uint64_t)>& read) {
  // It may be replaced by the next one while it is looked for.
  for (bool again = true;; again = false) {
    const auto all = FROND_TRY(epochs());
    const std::uint64_t newest = FROND_TRY(newest_of(all, current_epoch));
    if (newest == 0) return std::optional<LeasePlace::Found>();
    auto text = read(newest);
    if (text) return std::optional<LeasePlace::Found>({newest, *std::move(text)});
    if (text.error().code() != Code::kNotFound || !again) return text.error();
  }
}

bool leave_free(const std::vector<std::uint64_t>& epochs, std::uint64_t epoch) {
  const bool begins_life = epoch == first_epoch(life_of(epoch));
  return std::ranges::none_of(epochs, [&](std::uint64_t other) {
    if (life_of(other) == life_of(epoch)) return other > epoch;
    return begins_life;  // nothing tells yet whose life it is to be: both give way
  });
}

bool LeaseWatch::ended(const LeasePlace::Found& found, const LeaseRecord& record, Instant now) {
  if (found.text != text_) {
    text_ = found.text;
    since_ = now;
  }
  return record.released || now - since_ >= std::chrono::milliseconds(record.length_ms);
}

Result<WriterLease::Free> WriterLease::look(const LeasePlace& place, LeaseWatch& watch, const LeaseTerms& terms,
                                            const Clock& clock) {
  Free free;
  free.found = FROND_TRY(place.newest());
  if (!free.found) {
    free.there = FROND_TRY(place.current_epoch());
    return free;
  }
  auto read = lease_record_from_json(free.found->text);
  if (!read) return std::move(read).error().within(holder_path(free.found->epoch));
  LeaseRecord last = *std::move(read);
  last.epoch = free.found->epoch;
  const bool ended = watch.ended(*free.found, last, clock.now());
  // Whoever has the log open has it alone, so its last holder is dead.
  if (last.log != terms.log && !ended) return Error(Code::kOverloaded, "another service writes it: " + said(last));
  free.there = FROND_TRY(place.current_epoch());
  // Else it was left by a holder of another life, or by one that died while it began: it has accepted nothing.
  if (free.there == 0 || life_of(free.there) != life_of(last.epoch)) return free;
  free.last = last;
  if (last.log == terms.log) return free;
  const bool leaves_nothing = last.released && last.waiting == 0;
  if (leaves_nothing || terms.any_log) return free;
  return Error(Code::kUnavailable, "its last writer (" + said(last) +
                                       ") has ended, and what it accepted and did not publish is in its log, which is "
                                       "not here (" +
                                       std::to_string(last.waiting) +
                                       " changes when it was last heard of): start it again with its folder --state, "
                                       "or give these changes up with --take-over any-log");
}

Result<void> WriterLease::expect_free(const LeasePlace& place, LeaseWatch& watch, const LeaseTerms& terms,
                                      const Clock& clock) {
  FROND_TRY(look(place, watch, terms, clock));
  return {};
}

Result<std::unique_ptr<WriterLease>> WriterLease::acquire(
    LeasePlace& place, LeaseWatch& watch, const LeaseTerms& terms, const Clock& clock,
    const std::function<Result<void>(const std::optional<LeaseRecord>&, std::uint64_t epoch)>& before) {
  Free free = FROND_TRY(look(place, watch, terms, clock));
  const std::optional<LeaseRecord>& last = free.last;
  if (free.found && !last) {
    FROND_TRY(place.remove(free.found->epoch));
    free.found.reset();
  }
  const std::uint64_t epoch = free.there == 0 ? first_epoch(terms.life ? *terms.life : random_life())
                                              : std::max(free.there, last ? last->epoch : 0) + 1;
  FROND_TRY(before(last, epoch));
  std::unique_ptr<WriterLease> lease(new WriterLease(place, clock));
  lease->record_ = {.epoch = epoch,
                    .holder = this_process(),
                    .log = terms.log,
                    .length_ms = static_cast<std::uint64_t>(terms.length.count())};
  if (last && last->log != terms.log) lease->taken_from_ = last;
  const Instant begun = clock.now();
  if (!FROND_TRY(place.take(lease->record_, free.found)))
    return Error(Code::kOverloaded, "another service has just taken it");
  if (last) (void)place.remove(last->epoch);  // else the next one does not see it either
  const MutexLock lock(lease->mutex_);
  lease->renewed_ = begun;
  return lease;
}

Result<void> WriterLease::expect_newest() {
  const auto newest = FROND_TRY(place_.newest());
  if (newest && newest->epoch == record_.epoch) return {};
  lost_ = true;
  if (!newest) return Error(Code::kOverloaded, "the record of the lease is gone: the collection was removed");
  const auto by = lease_record_from_json(newest->text);
  return Error(Code::kOverloaded, "another service took the collection over: " +
                                      (by ? said(*by) : "epoch " + std::to_string(newest->epoch)));
}

// A holder that was stopped in the middle of a renewal may have put its record back into a collection that was removed
// meanwhile, and maybe made again.
Result<void> WriterLease::expect_in_current() {
  {
    const MutexLock lock(mutex_);
    if (clock_.now() < renewed_ + std::chrono::milliseconds(record_.length_ms)) return {};
  }
  if (FROND_TRY(place_.current_epoch()) == record_.epoch) return {};
  lost_ = true;
  (void)place_.remove(record_.epoch);  // else others find that it is of another life
  return Error(Code::kOverloaded, "CURRENT does not have its epoch any more: the collection was removed");
}

Result<void> WriterLease::renew(std::uint64_t waiting) {
  const Instant begun = clock_.now();
  FROND_TRY(expect_newest());
  ++record_.renewals;
  record_.waiting = waiting;
  const auto written = place_.rewrite(record_);
  if (!written && written.error().code() != Code::kOverloaded) return written.error();
  FROND_TRY(expect_newest());
  if (!written) {
    lost_ = true;
    return written.error();
  }
  FROND_TRY(expect_in_current());
  const MutexLock lock(mutex_);
  renewed_ = begun;
  return {};
}

void WriterLease::release(std::uint64_t waiting) {
  if (lost_) return;
  const auto newest = place_.newest();
  if (!newest || !*newest || (*newest)->epoch != record_.epoch) return;
  record_.waiting = waiting;
  record_.released = true;
  (void)place_.rewrite(record_);  // else it ends by itself
}

Result<void> WriterLease::expect_held() const {
  if (lost_) return Error(Code::kUnavailable, "another service has taken the collection over, or it was removed");
  const MutexLock lock(mutex_);
  // An observer saw the record change after this renewal began, so it waits for longer than this.
  if (clock_.now() < renewed_ + std::chrono::milliseconds(record_.length_ms) * 3 / 4) return {};
  return Error(Code::kUnavailable, "the lease of the collection could not be renewed in time");
}

}  // namespace frond::repository
