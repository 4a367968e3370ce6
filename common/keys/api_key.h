#pragma once
// API keys: the secret text that a client sends, and what a server keeps of it. Values, any thread.
//
// A key made here has 256 random bits. Nobody finds such a key by trying, so its SHA-256 can be kept without salt and
// without a slow hash, and finding a request's key takes less than a microsecond. For the same reason a key must not be
// a password that somebody chose.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/http/message.h"
#include "common/tls/digest.h"

namespace frond::keys {

inline constexpr std::size_t kMinKeyBytes = 32, kMaxKeyBytes = 256, kMaxNameBytes = 64;

// Whether `text` can be a key: kMinKeyBytes to kMaxKeyBytes of letters, digits and -._~+/=
bool is_key(std::string_view text);

// "frond_" and 43 characters of base64url. kUnavailable: the system gives no random bytes.
Result<std::string> make_key();

// What a key's owner may do: a set of http::Access without kOpen.
class Scopes {
 public:
  void add(http::Access access) { bits_ |= bit_of(access); }
  bool has(http::Access access) const { return (bits_ & bit_of(access)) != 0; }
  bool empty() const { return bits_ == 0; }
  bool operator==(const Scopes&) const = default;

  // "search,write,admin", in any order, each at most once. kInvalid; the message does not repeat the text.
  static Result<Scopes> parse(std::string_view text);
  std::string text() const;

 private:
  static std::uint8_t bit_of(http::Access access) { return static_cast<std::uint8_t>(1u << static_cast<int>(access)); }
  std::uint8_t bits_ = 0;
};
// "search", "write", "admin"; "open" for kOpen.
std::string_view name_of(http::Access access);

// How much may be asked for. 0: not limited.
struct Limits {
  double rate = 0;  // requests a second, in the long run; a second's worth at once, and one at least
  std::uint32_t in_flight = 0;
  bool any() const { return rate > 0 || in_flight > 0; }
  bool operator==(const Limits&) const = default;
};
inline constexpr double kMinRate = 0.001, kMaxRate = 1e6;
inline constexpr std::uint32_t kMaxInFlight = 1 << 20;
inline constexpr std::uint32_t kMaxWeight = 100;

// One key as the key file describes it.
struct KeyEntry {
  std::string name;  // for people: letters, digits and -._ up to kMaxNameBytes
  Scopes scopes;
  tls::Sha256 digest{};      // of the key
  Limits limits;             // a limit that is 0 is the server's default
  std::uint32_t weight = 0;  // its share beside other clients, where they wait for each other; 0: 1

  // A line of the key file, without its end: "NAME SCOPES sha256:HEX [rate=R] [in-flight=N] [weight=W]".
  std::string line() const;
  // kInvalid; the message does not repeat the line, which may hold a key by mistake.
  static Result<KeyEntry> parse(std::string_view line);
};
bool is_name(std::string_view text);

// The key file: one key a line (KeyEntry::line()); empty lines and lines that begin with # are skipped. It holds
// digests only, so whoever reads it can't use the keys; whoever may write it decides who is let in.

inline constexpr std::size_t kMaxKeyFileBytes = 1 << 20;  // as much as a Secret of Kubernetes may have
inline constexpr std::size_t kMaxKeys = 10'000;

// Any bytes are safe (tests/fuzz/api_keys). kInvalid names the line: a line that is none, a name or key that stands
// there twice, more than kMaxKeys, no key at all. Messages repeat nothing of the text.
Result<std::vector<KeyEntry>> parse_key_file(std::string_view text);

// The key that a request brings, in one of the ways that clients of such APIs have:
//   Authorization: Bearer KEY   (RFC 6750, 2.1)
//   Authorization: ApiKey KEY   (clients of Elasticsearch)
//   X-API-Key: KEY
// Not in the URL, which proxies and browsers write down, and not as Basic, which browsers send without being asked.
struct Credential {
  // kNone: the request brings none. kOther: Authorization has another scheme. kAmbiguous: more than one field has a
  // key, so that a proxy and this server could see different ones. kMalformed: no key can look like that.
  enum class Kind { kNone, kOther, kAmbiguous, kMalformed, kKey };
  Kind kind = Kind::kNone;
  std::string_view key;  // a part of the header
};

// Any bytes are safe (tests/fuzz/credential). Any thread.
Credential credential_of(const http::Request& header);

}  // namespace frond::keys
