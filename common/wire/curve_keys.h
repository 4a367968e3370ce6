#pragma once
// CURVE keys (ZeroMQ RFC 26): 32 bytes, written as 40 characters of Z85 (RFC 32), as ZeroMQ's own tools write them.
// Equal keys have equal text, so texts are compared. A key file holds one key; white space around it is ignored.
//
// Secret keys never appear in an error or a log line. Any thread.
#include <compare>
#include <set>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/zmtp/curve.h"

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
  std::string secret_z85;  // never print it
};

using CurvePublicKeys = std::set<std::string, std::less<>>;  // Z85 each

CurveKeyPair generate_curve_keys();
// Keys that were parsed or generated, as bytes.
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

}  // namespace frond::wire
