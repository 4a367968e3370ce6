#pragma once
// Decides whether a request is served: by its key's scopes, and by what its key and its address may ask for. For
// http::Server::Config::gatekeeper.
//
// Without a key file, searching and looking are open and writing is closed, unless somebody else checks it; keys that
// clients send are not looked at.
// With one, each request needs a key with the scope that its route needs. A request counts for its address, whatever
// becomes of it then, and for its key. Keys are never logged and never in an answer.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/base/deadline.h"
#include "common/base/log.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/config/command_line.h"
#include "common/http/message.h"
#include "common/keys/api_key.h"
#include "common/keys/meter.h"
#include "common/metrics/registry.h"

namespace frond::keys {

// A key in use. The meter stays the same when the file is read again, so that nobody gets a new rate by that.
struct Key {
  KeyEntry entry;
  Limits limits;  // the entry's, and the defaults for what it does not set
  std::shared_ptr<Meter> meter;
};

// The keys that a process accepts, from a key file that may be replaced while it runs (as kubelet does with Secrets).
// find() may be called from any thread, the rest from one thread.
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

namespace families {
using metrics::Family;
inline constexpr Family kDenied{"frond_http_denied_total",
                                "Requests refused for want of a key or over its or its address's limits, by reason."};
inline constexpr Family kKeys{"frond_http_keys", "API keys in use."};
inline constexpr Family kFileReads{
    "frond_http_key_file_reads_total",
    "Changes of the file of API keys, by outcome: ok, or failed (the old keys stay in use)."};
inline constexpr Family kStale{"frond_http_key_file_stale",
                               "1 while the file of API keys can't be used, and the keys before stay in use."};
inline constexpr Family kAddresses{"frond_http_limited_addresses",
                                   "Client addresses whose requests are counted against their limits."};
inline constexpr Family kAddressesLimit{"frond_http_limited_addresses_limit",
                                        "Limit of frond_http_limited_addresses; beyond it the one that owes least is "
                                        "forgotten."};
}  // namespace families

class Guard {
 public:
  struct Config {
    std::string key_file;         // empty: none
    Limits of_key;                // for what a key's line does not set
    Limits of_address;            // for all requests of an address together
    std::string realm = "frond";  // of WWW-Authenticate
    // What takes the changes, behind this server, checks their keys: without a key file here, writing is open.
    bool writing_is_checked_behind = false;
  };
  // Errors are KeyRing::load()'s. `clock`, `log` and `registry` outlive the guard.
  static Result<std::unique_ptr<Guard>> create(Config config, const Clock& clock, Logger& log,
                                               metrics::Registry& registry);
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // Any thread. Refusals: 400 if the request's key is ambiguous; 401 if it has none that is known; 403 if its key's
  // scopes lack `needed`, or if writing is closed; 429 with Retry-After over a limit.
  http::Admittance admit(const http::Request& header, const http::ClientAddress& from, http::Access needed);
  // Whether the request's key has the scope; without a key file: yes. It counts nothing. Any thread.
  bool has_scope(const http::Request& header, http::Access scope) const;
  // Whether each request needs a key.
  bool checks_keys() const { return ring_ != nullptr; }
  // Reads the key file again, and reports a change in log and metrics. To be called each second, on one thread.
  void look();
  // Whether it refuses anything that the broker serves. If not, a server can do without.
  bool does_something() const { return ring_ != nullptr || addresses_ != nullptr; }

 private:
  enum class Reason {
    kNoKey,
    kUnknownKey,
    kAmbiguousKey,
    kScope,
    kKeyRate,
    kKeyInFlight,
    kAddressRate,
    kAddressInFlight
  };
  static constexpr std::size_t kReasons = 8;
  class Place;
  using Refusal = std::optional<http::Response>;

  Guard(Config config, const Clock& clock, Logger& log, metrics::Registry& registry, std::unique_ptr<KeyRing> ring);
  http::Response deny(Reason reason, http::Response response);
  http::Response unauthorized(Reason reason, const std::string& detail, http::Access needed);
  http::Response too_many(const Verdict& verdict, bool of_key);
  Refusal admit_address(const http::ClientAddress& from, std::shared_ptr<Place>& place);
  Refusal admit_key(const http::Request& header, http::Access needed, std::shared_ptr<Place>& place,
                    http::Admittance& admitted);
  void tell(std::string_view what);

  const Config config_;
  const Clock& clock_;
  Logger& log_;
  const std::unique_ptr<KeyRing> ring_;            // null: no key file
  const std::shared_ptr<AddressTable> addresses_;  // null: addresses have no limits; permits share it
  std::array<metrics::Counter, kReasons> denied_;
  metrics::Gauge keys_, stale_;
  metrics::Counter read_, refused_;
};

// --max-rate-per-key, --max-in-flight-per-key, --max-rate-per-address and --max-in-flight-per-address. Both limits
// outlive the parsing.
void add_limit_flags(config::CommandLine& app, Limits& of_key, Limits& of_address);

}  // namespace frond::keys
