#pragma once
// The public keys that may connect to a leaf, from a file that may be replaced while we run: keys are exchanged without
// a restart. The file is read whole and compared, so that a new link (as Kubernetes swaps them), a rename and a change
// in place are all seen. A list that can't be read or is no list changes nothing: the keys before stay in force.
#include <memory>
#include <string>
#include <string_view>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/wire/curve_keys.h"

namespace frond::wire {

class CurveClients {
 public:
  // kInvalid, kUnavailable: the file, which the message names.
  static Result<std::unique_ptr<CurveClients>> open(std::string path);

  // Reads the file again. True: other keys are let in from now on. An error is told once, until the file is another or
  // good again. One thread at a time; may block on the disk.
  Result<bool> refresh();
  // What is in force now. Any thread.
  std::shared_ptr<const CurvePublicKeys> keys() const;
  // The file can't be used; keys() is what it was before. Any thread.
  bool stale() const;
  const std::string& path() const { return path_; }

 private:
  CurveClients(std::string path, std::string text, CurvePublicKeys keys);
  bool adopt(CurvePublicKeys keys);
  bool become_stale();  // false: it was already

  const std::string path_;
  std::string text_;  // of the file when it was last good, or told to be bad
  mutable Mutex mutex_;
  std::shared_ptr<const CurvePublicKeys> keys_ FROND_GUARDED_BY(mutex_);
  bool stale_ FROND_GUARDED_BY(mutex_) = false;
};

}  // namespace frond::wire
