#pragma once
// Keys of CURVE (ZeroMQ RFC 26): 32 bytes each, written as 40 characters of Z85 (RFC 32), as ZeroMQ's own tools write
// them. A key's text is unique, so texts are compared. A key file holds one key; white space around it does not count.
//
// Secrets are never part of an error or a log line. Pure but for the files; any thread.
#include <compare>
#include <set>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace frond::wire {

inline constexpr std::size_t kCurveKeyBytes = 32;
inline constexpr std::size_t kCurveKeyCharacters = 40;
inline constexpr std::size_t kMaxCurveClients = 10'000;  // keys in one list

struct CurvePublicKey {
  std::string z85;
  auto operator<=>(const CurvePublicKey&) const = default;
};

struct CurveKeyPair {
  CurvePublicKey public_key;
  std::string secret_z85;  // not for printing
};

using CurvePublicKeys = std::set<std::string, std::less<>>;  // Z85 each

// kUnavailable: this libzmq was built without CURVE.
Result<void> curve_is_built_in();
Result<CurveKeyPair> generate_curve_keys();

// kInvalid: not one key; the message says what there is instead, and not the text itself.
Result<CurvePublicKey> parse_curve_public_key(std::string_view text);
Result<CurveKeyPair> parse_curve_secret_key(std::string_view text);  // and the public key that belongs to it
// One key a line; blank lines do not count. kInvalid: no key, too many, or a line (its number is told) that is none.
Result<CurvePublicKeys> parse_curve_public_keys(std::string_view text);

// The same from files; errors name the file. kUnavailable: it can't be read.
Result<CurvePublicKey> read_curve_public_key(const std::string& path);
Result<CurveKeyPair> read_curve_secret_key(const std::string& path);
// The whole of a file that holds a list; kInvalid: larger than any list.
Result<std::string> read_curve_key_file(const std::string& path);

// True for a file that every user of the machine may read: no place for a secret.
bool readable_by_everybody(const std::string& path);

}  // namespace frond::wire
