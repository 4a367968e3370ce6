#pragma once
// Decides whether a request is served: by its key's scopes, and by what its key and its address may ask for. For
// http::Server::Config::gatekeeper.
//
// Without a key file, searching and looking are open and writing is closed; keys that clients send are not looked at.
// With one, each request needs a key with the scope that its route needs. A request counts for its address, whatever
// becomes of it then, and for its key. Keys are never logged and never in an answer.
#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "common/base/deadline.h"
#include "common/base/log.h"
#include "common/base/result.h"
#include "common/http/access.h"
#include "common/keys/address_table.h"
#include "common/keys/key_ring.h"
#include "common/metrics/registry.h"

namespace frond::keys {

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
  };
  // Errors are KeyRing::load()'s. `clock`, `log` and `registry` outlive the guard.
  static Result<std::unique_ptr<Guard>> create(Config config, const Clock& clock, Logger& log,
                                               metrics::Registry& registry);
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // Any thread. Refusals: 400 if the request's key is ambiguous; 401 if it has none that is known; 403 if its key's
  // scopes lack `needed`, or if writing is closed; 429 with Retry-After over a limit.
  http::Admittance admit(const http::Request& header, const http::ClientAddress& from, http::Access needed);
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
                    std::optional<http::ClientId>& client);
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

}  // namespace frond::keys
