#pragma once
// Which service writes a collection (ADR 33): the holder of its lease. The lease is a record for each epoch,
// "holders/<epoch>" beside the collection's files; epochs only grow, and the record with the highest number is the
// holder's. A holder writes its own record again and again, and nobody else's.
//
// Taking over begins the next epoch. From then on nothing is published in an earlier one (LeasePlace::take()), so a
// holder that was stopped and wakes up can do no harm. No two machines' clocks are compared: an observer measures with
// its own clock how long a record has not changed.
//
// A holder may wake up and renew while another one takes over. So a holder looks for a later epoch after it wrote its
// record, and whoever takes over looks at that record after it wrote its own: at least one of them sees the other, and
// gives way.
//
// A collection that was removed and made again begins another life. The epochs of a life have its number, which is
// random, in their upper bits (life_of()); CURRENT tells which life it is. So a holder of an earlier life, and what it
// still writes when it wakes up, is not taken for one of this life.
//
// The changes that a holder has accepted and not published are in its log alone. So the record names the log: a service
// with that log may go on at once, one with another log only if nothing is lost with it, or if it was told to.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/deadline.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/repository/repository.h"

namespace frond::repository {

// Versions before lives began with epoch 1: life 0.
inline constexpr unsigned kEpochBits = 20;  // an epoch of a life is below 2^52, so exact in JSON everywhere
std::uint64_t random_life();                // of one that begins
std::string this_process();                 // machine and process, for people
constexpr std::uint64_t life_of(std::uint64_t epoch) { return epoch >> kEpochBits; }
// In CURRENT of a life that commands began in an object store, until a service begins the first epoch.
constexpr std::uint64_t before_first_epoch(std::uint64_t life) { return life << kEpochBits; }
constexpr std::uint64_t first_epoch(std::uint64_t life) { return (life << kEpochBits) + 1; }
// Whether an epoch may begin where CURRENT has the epoch `there`, 0: none.
constexpr bool may_follow(std::uint64_t epoch, std::uint64_t there) {
  if (there == 0) return epoch == first_epoch(life_of(epoch));
  return life_of(epoch) == life_of(there) && epoch >= there;
}

struct LeaseRecord {
  std::uint64_t epoch = 0;
  std::string holder;  // machine and process, for people
  std::string log;     // identity of the log that changes are accepted into: safe as a file's name
  std::uint64_t length_ms = 0;
  std::uint64_t renewals = 0;
  // Accepted changes that were not published when the record was written. Exact once it is released.
  std::uint64_t waiting = 0;
  bool released = false;  // its holder has ended, and accepts nothing any more
  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};
std::string to_json(const LeaseRecord& record);
// Any bytes are safe. kCorrupt: anything that to_json() does not make.
Result<LeaseRecord> lease_record_from_json(std::string_view json);

// Seam: where the records of a collection are. Any thread. Errors are kUnavailable, or kInvalid where trying again does
// not help.
class LeasePlace {
 public:
  struct Found {
    std::uint64_t epoch = 0;
    std::string text;
  };
  virtual ~LeasePlace() = default;
  // The record with the highest number; of records of several lives, among those of CURRENT's.
  virtual Result<std::optional<Found>> newest() const = 0;
  // That CURRENT has; 0: none, or there is no CURRENT.
  virtual Result<std::uint64_t> current_epoch() const = 0;
  // Begins the record's epoch. False: another writer has begun it, a later one or another life, or the record of the
  // last holder is not `last` any more once this one is there; then nothing has begun. kOverloaded: something is being
  // published; try again.
  virtual Result<bool> take(const LeaseRecord& record, const std::optional<Found>& last) = 0;
  // Replaces the record of an epoch that this process began. kOverloaded: the epoch has ended.
  virtual Result<void> rewrite(const LeaseRecord& record) = 0;
  virtual Result<void> remove(std::uint64_t epoch) = 0;
};
// Of a collection in a directory or in an object store. kInvalid: a bad place.
Result<std::unique_ptr<LeasePlace>> open_lease_place(const std::filesystem::path& root, const std::string& collection,
                                                     const ObjectWriting& objects);

// What one observer has seen of a collection's records. One thread.
class LeaseWatch {
 public:
  // Whether the holder has ended: it said so, or its record has not changed for its length since this observer saw it.
  bool ended(const LeasePlace::Found& found, const LeaseRecord& record, Instant now);

 private:
  std::string text_;
  Instant since_{};
};

struct LeaseTerms {
  std::string log;  // this service's
  std::chrono::milliseconds length{15'000};
  bool any_log = false;  // takes over also what the last holder had accepted into another log, without it
  std::optional<std::uint64_t> life{};  // that begins, if one does: below 2^32; none: random. For tests
};

// Thread-safe but for renew() and release(), which one thread at a time calls.
class WriterLease {
 public:
  // Whether acquire() would get as far as `before`. Errors as there.
  static Result<void> expect_free(const LeasePlace& place, LeaseWatch& watch, const LeaseTerms& terms,
                                  const Clock& clock);
  // `before` is called when it is sure that the lease is to be had, just before it is taken, with the record of the
  // last holder in this life and with the epoch to be; its error ends it. `place` and `clock` outlive the lease.
  // kOverloaded: another service holds it; kUnavailable: it has ended, and its changes are in another log; or the
  // place.
  static Result<std::unique_ptr<WriterLease>> acquire(
      LeasePlace& place, LeaseWatch& watch, const LeaseTerms& terms, const Clock& clock,
      const std::function<Result<void>(const std::optional<LeaseRecord>&, std::uint64_t epoch)>& before);

  // To be called each renew_every(). kOverloaded: it is lost for good, to another service or with the collection.
  Result<void> renew(std::uint64_t waiting);
  // Its holder removes the collection: it is lost, and its record is written no more. Not beside renew() and release().
  void abandon() { lost_ = true; }
  // `waiting`: exact. Does nothing if the lease is lost.
  void release(std::uint64_t waiting);

  // Whether nobody can have taken it over yet. kUnavailable: it is lost, or could not be renewed in time.
  Result<void> expect_held() const;
  bool lost() const { return lost_; }
  std::uint64_t epoch() const { return record_.epoch; }
  // The holder before, if it had another log.
  const std::optional<LeaseRecord>& taken_from() const { return taken_from_; }
  std::chrono::milliseconds renew_every() const { return std::chrono::milliseconds(record_.length_ms) / 4; }

 private:
  WriterLease(LeasePlace& place, const Clock& clock) : place_(place), clock_(clock) {}
  struct Free {
    std::optional<LeasePlace::Found> found;
    std::optional<LeaseRecord> last;  // of this life
    std::uint64_t there = 0;          // CURRENT's epoch
  };
  static Result<Free> look(const LeasePlace& place, LeaseWatch& watch, const LeaseTerms& terms, const Clock& clock);
  Result<void> expect_newest();
  Result<void> expect_in_current();

  LeasePlace& place_;
  const Clock& clock_;
  LeaseRecord record_;
  std::optional<LeaseRecord> taken_from_;
  std::atomic<bool> lost_ = false;
  mutable Mutex mutex_;
  Instant renewed_ FROND_GUARDED_BY(mutex_){};  // when the last renewal that succeeded began
};

}  // namespace frond::repository
