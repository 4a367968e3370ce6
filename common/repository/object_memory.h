#pragma once
// What the service that holds a collection's lease knows of it in an object store since its last publication, so that
// the next one does not ask for it again (ADR 37). It is used only as long as CURRENT has the same version, and only
// where the store obeys conditions: the PUT that replaces CURRENT has that version as its condition, so what is out of
// date publishes nothing. Thread-safe.
#include <memory>
#include <string>
#include <utility>

#include "common/base/ids.h"
#include "common/base/mutex.h"

namespace frond::repository {

class ObjectMemory {
 public:
  struct Known {
    Generation generation = 0;              // current, and the highest that there is
    std::string current_text, current_tag;  // of CURRENT
    std::string manifest_text;
    std::string lease_id;  // of the object in writers/ that this service writes
  };
  // Null: nothing.
  std::shared_ptr<const Known> known() const {
    const MutexLock lock(mutex_);
    return known_;
  }
  void set(Known known) {
    const MutexLock lock(mutex_);
    known_ = std::make_shared<const Known>(std::move(known));
  }
  void forget() {
    const MutexLock lock(mutex_);
    known_.reset();
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const Known> known_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::repository
