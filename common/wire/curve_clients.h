#pragma once
// The public keys that may connect to a leaf, from a file that may change while the leaf runs. Each refresh reads the
// whole file and compares it, so every kind of change is noticed: a replaced symbolic link (as Kubernetes does), a
// rename, an edit in place. If the file cannot be read or is no list of keys, the former keys stay in force.
#include <memory>
#include <string>
#include <string_view>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/wire/curve_keys.h"

namespace frond::wire {

class CurveClients {
 public:
  // kInvalid: not a list of keys; kUnavailable: the file cannot be read. The message names the file.
  static Result<std::unique_ptr<CurveClients>> open(std::string path);

  // Reads the file again. True: the keys have changed. An error is returned only once, until the file changes or can be
  // used again. One thread at a time; may block on the disk.
  Result<bool> refresh();
  // The keys in force. Any thread.
  std::shared_ptr<const CurvePublicKeys> keys() const;
  // Whether the file cannot be used now, so that keys() are the former ones. Any thread.
  bool stale() const;
  const std::string& path() const { return path_; }

 private:
  CurveClients(std::string path, std::string text, CurvePublicKeys keys);
  bool adopt(CurvePublicKeys keys);
  bool become_stale();  // false: it was stale already

  const std::string path_;
  std::string text_;  // the file's last contents, good or reported as bad
  mutable Mutex mutex_;
  std::shared_ptr<const CurvePublicKeys> keys_ FROND_GUARDED_BY(mutex_);
  bool stale_ FROND_GUARDED_BY(mutex_) = false;
};

}  // namespace frond::wire
