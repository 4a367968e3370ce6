#pragma once
// The right to write a collection in an object store: an object "writers/<id>" that is written again while its writer
// lives. It needs no conditional writes, but a store that shows at once what was written (as S3 does).
//
// Acquiring: writes its own object, then lists. If the list has another writer's object that is younger than the lease
// time, it gives way: removes its own and fails. Of two that begin at the same time at least one sees the other, since
// each lists after it wrote. Both may fail, never both succeed. Older objects are of dead writers, and are removed.
// Ages are taken from the store's clock alone: Last-Modified against Date. Holding: a thread writes the object again
// after a quarter of the lease time. If the object is gone, or another writer's live object is there, or it could not
// be written for too long, the lease is lost. That time goes on while the machine is suspended.
#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "common/base/boot_clock.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/objects/object_store.h"

namespace frond::repository {

// expect_held() may be called from any thread.
class ObjectLease {
 public:
  // `folder`: where the objects are, with a '/' at its end. `store` outlives the lease. `note`: a local file that names
  // the object written last from here; whoever calls has it alone, so that object's writer is dead, and it is removed.
  // Empty: there is none. kOverloaded: another writer holds it; kUnavailable: the store.
  // `again`: the id() of a lease that this process held before, of a store that was found to obey conditions: the
  // object is the same, and the conditions are not tried again.
  static Result<std::unique_ptr<ObjectLease>> acquire(const objects::ObjectStore& store, const std::string& folder,
                                                      const std::filesystem::path& note, const std::string& again = {});
  ~ObjectLease();  // gives it up
  ObjectLease(const ObjectLease&) = delete;
  ObjectLease& operator=(const ObjectLease&) = delete;

  // kUnavailable: it is lost, or would end before a request that begins now.
  Result<void> expect_held() const;
  // Whether the store obeys conditions of PUTs, as it was found when the lease was acquired.
  bool conditional() const { return conditional_; }
  const std::string& id() const { return id_; }

 private:
  ObjectLease(const objects::ObjectStore& store, std::string folder, std::string id);
  Result<void> replace_note(const std::filesystem::path& note) const;
  Result<void> write();
  Result<void> look(bool beginning);
  Result<bool> obeys_conditions() const;
  void renew(const std::stop_token& stop);

  const objects::ObjectStore& store_;
  const std::string folder_, id_, text_;
  const std::chrono::seconds time_;
  const BootClock clock_{};
  bool conditional_ = false;
  mutable Mutex mutex_;
  std::string lost_ FROND_GUARDED_BY(mutex_);  // why; empty: it is held
  Instant written_ FROND_GUARDED_BY(mutex_);   // when the last write that succeeded began
  std::jthread thread_;
};

}  // namespace frond::repository
