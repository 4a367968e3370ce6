#pragma once
// CURVE keys (ZeroMQ RFC 26): 32 bytes, written as 40 characters of Z85 (RFC 32), as ZeroMQ's own tools write them.
// Equal keys have equal text, so texts are compared. A key file holds one key; white space around it is ignored.
//
// Secret keys never appear in an error or a log line. Any thread.
#include <compare>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/zmtp/curve.h"

namespace frond::wire {

inline constexpr std::size_t kCurveKeyCharacters = 40;
inline constexpr std::size_t kMaxCurveClients = 10'000;  // keys in one list

struct CurvePublicKey {
  std::string z85;
  auto operator<=>(const CurvePublicKey&) const = default;
};

struct CurveKeyPair {
  CurvePublicKey public_key;
  std::string secret_z85;  // never print it
};

using CurvePublicKeys = std::set<std::string, std::less<>>;  // Z85 each

CurveKeyPair generate_curve_keys();
// Keys as bytes. REQUIRES: they were parsed or generated.
zmtp::CurvePair raw_keys(const CurveKeyPair& keys);
zmtp::CurveKey raw_key(const CurvePublicKey& key);

// kInvalid: not a key. The message describes the text but never contains it.
Result<CurvePublicKey> parse_curve_public_key(std::string_view text);
Result<CurveKeyPair> parse_curve_secret_key(std::string_view text);  // the public key is computed from it
// One key a line; blank lines are ignored. kInvalid: no key, too many, or a line that is not a key (the message has its
// number).
Result<CurvePublicKeys> parse_curve_public_keys(std::string_view text);

// The same from files; errors name the file. kUnavailable: the file cannot be read.
Result<CurvePublicKey> read_curve_public_key(const std::string& path);
Result<CurveKeyPair> read_curve_secret_key(const std::string& path);
// The contents of a file that holds a list. kInvalid: the file is larger than a list may be.
Result<std::string> read_curve_key_file(const std::string& path);

// Whether every user of the machine may read the file.
bool readable_by_everybody(const std::string& path);

// The public keys that may connect to a leaf, from a file that may change while the leaf runs. Each refresh reads the
// whole file and compares it, so every kind of change is noticed: a replaced symbolic link (as Kubernetes does), a
// rename, an edit in place. If the file cannot be read or is no list of keys, the former keys stay in force.
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

  const std::string path_;
  std::string text_;  // the file's last contents, good or reported as bad
  mutable Mutex mutex_;
  std::shared_ptr<const CurvePublicKeys> keys_ FROND_GUARDED_BY(mutex_);
  bool stale_ FROND_GUARDED_BY(mutex_) = false;
};

}  // namespace frond::wire
