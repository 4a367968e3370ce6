#include "common/keys/guard.h"

#include <algorithm>
#include <utility>

#include "common/keys/credential.h"

namespace frond::keys {

using http::Access;
using http::problem;
using http::Response;

// What an admitted request holds.
class Guard::Place final : public http::Permit {
 public:
  explicit Place(const Clock& clock) : clock_(clock) {}
  ~Place() override {
    if (addresses_) addresses_->leave(address_);
    if (key_) key_->meter->leave();
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  void hold(std::shared_ptr<AddressTable> addresses, AddressTable::Place address) {
    addresses_ = std::move(addresses);
    address_ = address;
  }
  void hold(std::shared_ptr<const Key> key) { key_ = std::move(key); }
  void charge(std::size_t more) override {
    const Instant now = clock_.now();
    if (addresses_) addresses_->charge(address_, now, more);
    if (key_) key_->meter->charge(key_->limits, now, more);
  }

 private:
  const Clock& clock_;
  std::shared_ptr<AddressTable> addresses_;  // null: nothing is held there
  AddressTable::Place address_;
  std::shared_ptr<const Key> key_;  // null: the same
};

Result<std::unique_ptr<Guard>> Guard::create(Config config, const Clock& clock, Logger& log,
                                             metrics::Registry& registry) {
  std::unique_ptr<KeyRing> ring;
  if (!config.key_file.empty()) ring = FROND_TRY(KeyRing::load(config.key_file, config.of_key));
  return std::unique_ptr<Guard>(new Guard(std::move(config), clock, log, registry, std::move(ring)));
}

Guard::Guard(Config config, const Clock& clock, Logger& log, metrics::Registry& registry, std::unique_ptr<KeyRing> ring)
    : config_(std::move(config)),
      clock_(clock),
      log_(log),
      ring_(std::move(ring)),
      addresses_(config_.of_address.any() ? std::make_shared<AddressTable>(config_.of_address) : nullptr) {
  constexpr const char* kNames[] = {"no_key",   "unknown_key",   "ambiguous_key", "scope",
                                    "key_rate", "key_in_flight", "address_rate",  "address_in_flight"};
  static_assert(std::size(kNames) == kReasons);
  for (std::size_t i = 0; i < kReasons; ++i) denied_[i] = registry.counter(families::kDenied, {{"reason", kNames[i]}});
  keys_ = registry.gauge(families::kKeys);
  stale_ = registry.gauge(families::kStale);
  read_ = registry.counter(families::kFileReads, {{"outcome", "ok"}});
  refused_ = registry.counter(families::kFileReads, {{"outcome", "failed"}});
  registry.gauge(families::kAddressesLimit).set(addresses_ ? static_cast<double>(AddressTable::capacity()) : 0);
  registry.before_scrape([addresses = addresses_, gauge = registry.gauge(families::kAddresses), &clock]() mutable {
    gauge.set(addresses ? static_cast<double>(addresses->size(clock.now())) : 0);
  });
  if (ring_) tell("API keys in use");
}

void Guard::tell(std::string_view what) {
  keys_.set(static_cast<double>(ring_->size()));
  log_.info(what, {{"file", config_.key_file}, {"keys", std::to_string(ring_->size())}});
}

void Guard::look() {
  if (!ring_) return;
  const auto changed = ring_->refresh();
  if (!changed) {
    refused_.add();
    stale_.set(1);
    log_.warn("new file of API keys refused; the old keys stay", {{"reason", changed.error().message()}});
  } else if (*changed) {
    read_.add();
    stale_.set(0);
    tell("new API keys in use");
  }
}

Response Guard::deny(Reason reason, Response response) {
  denied_[static_cast<std::size_t>(reason)].add();
  return response;
}

Response Guard::unauthorized(Reason reason, const std::string& detail, Access needed) {
  Response response =
      problem(401, "Unauthorized",
              detail + " Send one with the scope " + std::string(name_of(needed)) + ", as Authorization: Bearer KEY.");
  // RFC 6750, 3.1: no error code for a request without a key.
  const char* const error = reason == Reason::kNoKey ? "" : ", error=\"invalid_token\"";
  response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"" + config_.realm + "\"" + error);
  return deny(reason, std::move(response));
}

Response Guard::too_many(const Verdict& verdict, bool of_key) {
  const bool fast = verdict.kind == Verdict::Kind::kTooFast;
  const std::string what = fast ? "Too many requests a second" : "Too many requests at a time";
  Response response = problem(429, "Too many requests", what + (of_key ? " with this key." : " from this address."));
  response.headers.emplace_back("Retry-After", std::to_string(verdict.retry_seconds));
  if (of_key) return deny(fast ? Reason::kKeyRate : Reason::kKeyInFlight, std::move(response));
  return deny(fast ? Reason::kAddressRate : Reason::kAddressInFlight, std::move(response));
}

Guard::Refusal Guard::admit_address(const http::ClientAddress& from, std::shared_ptr<Place>& place) {
  if (!addresses_) return {};
  const auto entry = addresses_->enter(from, clock_.now());
  if (!entry.verdict) return too_many(entry.verdict, false);
  place = std::make_shared<Place>(clock_);
  place->hold(addresses_, entry.place);
  return {};
}

Guard::Refusal Guard::admit_key(const http::Request& header, Access needed, std::shared_ptr<Place>& place,
                                std::optional<http::ClientId>& client) {
  const Credential credential = credential_of(header);
  switch (credential.kind) {
    case Credential::Kind::kNone:
      return unauthorized(Reason::kNoKey, "This needs a key.", needed);
    case Credential::Kind::kOther:
      return unauthorized(Reason::kNoKey, "Authorization has a scheme that is not known here.", needed);
    case Credential::Kind::kAmbiguous:
      return deny(Reason::kAmbiguousKey, problem(400, "Bad request", "More than one field of the request has a key."));
    case Credential::Kind::kMalformed:
      return unauthorized(Reason::kUnknownKey, "This key is not known.", needed);
    case Credential::Kind::kKey:
      break;
  }
  auto key = ring_->find(credential.key);
  if (!key) return unauthorized(Reason::kUnknownKey, "This key is not known.", needed);
  if (!key->entry.scopes.has(needed)) {
    const std::string scope(name_of(needed));
    Response response =
        problem(403, "Forbidden", "The key '" + key->entry.name + "' does not have the scope " + scope + ".");
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"" + config_.realm +
                                                          "\", error=\"insufficient_scope\", scope=\"" + scope + "\"");
    return deny(Reason::kScope, std::move(response));
  }
  std::copy_n(key->entry.digest.begin(), client.emplace().size(), client->begin());
  if (!key->limits.any()) return {};
  const Verdict verdict = key->meter->enter(key->limits, clock_.now());
  if (!verdict) return too_many(verdict, true);
  if (!place) place = std::make_shared<Place>(clock_);
  place->hold(std::move(key));
  return {};
}

http::Admittance Guard::admit(const http::Request& header, const http::ClientAddress& from, Access needed) {
  if (needed == Access::kOpen) return {};
  std::shared_ptr<Place> place;
  std::optional<http::ClientId> client;
  if (auto refusal = admit_address(from, place)) return {.refusal = std::move(refusal)};
  if (ring_) {
    if (auto refusal = admit_key(header, needed, place, client)) return {.refusal = std::move(refusal)};
  } else if (needed == Access::kWrite) {
    return {.refusal = deny(Reason::kNoKey, problem(403, "Forbidden",
                                                    "Writing is closed: this server was started without a file of "
                                                    "API keys."))};
  }
  return {std::nullopt, std::move(place), client};
}

}  // namespace frond::keys
