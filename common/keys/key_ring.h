#pragma once
// The keys that a process accepts, from a key file that may be replaced while it runs (as kubelet does with Secrets).
// find() may be called from any thread, the rest from one thread.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/keys/api_key.h"
#include "common/keys/meter.h"

namespace frond::keys {

// A key in use. The meter stays the same when the file is read again, so that nobody gets a new rate by that.
struct Key {
  KeyEntry entry;
  Limits limits;  // the entry's, and the defaults for what it does not set
  std::shared_ptr<Meter> meter;
};

class KeyRing {
 public:
  // Reads the file. kInvalid or kUnavailable names the file and the fault, and repeats nothing of its text.
  static Result<std::unique_ptr<KeyRing>> load(std::string file, const Limits& defaults);

  // Reads the file again. True: other keys are in use; false: nothing has changed. Error: the file has changed and is
  // not valid; the old keys stay, and the error is reported once for each change. Compares contents, not times.
  Result<bool> refresh();
  std::size_t size() const { return keys_in_use_; }  // any thread

  // Null: it is none of these keys. How long that takes tells nothing about a key but whether its digest begins as that
  // of `key` does.
  std::shared_ptr<const Key> find(std::string_view key) const;

 private:
  // By the first bytes of their digests.
  using Keys = std::unordered_multimap<std::uint64_t, std::shared_ptr<const Key>>;
  static std::shared_ptr<const Key> find(const Keys& keys, const tls::Sha256& digest);

  KeyRing(std::string file, const Limits& defaults) : file_(std::move(file)), defaults_(defaults) {}
  std::shared_ptr<const Keys> keys() const;

  const std::string file_;
  const Limits defaults_;
  tls::Sha256 seen_{};  // of what was read last, or of why it could not be read
  std::atomic<std::size_t> keys_in_use_{0};
  mutable Mutex mutex_;
  std::shared_ptr<const Keys> keys_ FROND_GUARDED_BY(mutex_) = std::make_shared<const Keys>();
};

}  // namespace frond::keys
