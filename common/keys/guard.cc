#include "common/keys/guard.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/files/read.h"

namespace frond::keys {
namespace {

using http::Access;
using http::problem;
using http::Response;

std::uint64_t front_of(const tls::Sha256& digest) {
  std::uint64_t front = 0;
  std::memcpy(&front, digest.data(), sizeof front);
  return front;
}

}  // namespace

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
                                http::Admittance& admitted) {
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
  std::copy_n(key->entry.digest.begin(), admitted.client.emplace().size(), admitted.client->begin());
  admitted.weight = std::max(1u, key->entry.weight);
  if (!key->limits.any()) return {};
  const Verdict verdict = key->meter->enter(key->limits, clock_.now());
  if (!verdict) return too_many(verdict, true);
  if (!place) place = std::make_shared<Place>(clock_);
  place->hold(std::move(key));
  return {};
}

bool Guard::has_scope(const http::Request& header, Access scope) const {
  if (!ring_) return true;
  const Credential credential = credential_of(header);
  const auto key = credential.kind == Credential::Kind::kKey ? ring_->find(credential.key) : nullptr;
  return key && key->entry.scopes.has(scope);
}

http::Admittance Guard::admit(const http::Request& header, const http::ClientAddress& from, Access needed) {
  if (needed == Access::kOpen) return {};
  std::shared_ptr<Place> place;
  http::Admittance admitted;
  if (auto refusal = admit_address(from, place)) return {.refusal = std::move(refusal)};
  if (ring_) {
    if (auto refusal = admit_key(header, needed, place, admitted)) return {.refusal = std::move(refusal)};
  } else if (needed == Access::kWrite && !config_.writing_is_checked_behind) {
    return {.refusal = deny(Reason::kNoKey, problem(403, "Forbidden",
                                                    "Writing is closed: this server was started without a file of "
                                                    "API keys."))};
  }
  admitted.permit = std::move(place);
  return admitted;
}

Result<std::unique_ptr<KeyRing>> KeyRing::load(std::string file, const Limits& defaults) {
  std::unique_ptr<KeyRing> ring(new KeyRing(std::move(file), defaults));
  FROND_TRY(ring->refresh());
  return ring;
}

Result<bool> KeyRing::refresh() {
  const auto text = files::read_text(file_, kMaxKeyFileBytes);
  const tls::Sha256 digest = tls::sha256(text ? *text : text.error().message());
  if (digest == seen_) return false;
  seen_ = digest;
  if (!text) return text.error();
  auto entries = parse_key_file(*text);
  if (!entries) return std::move(entries).error().within(file_);

  const auto before = keys();
  const auto after = std::make_shared<Keys>();
  for (KeyEntry& entry : *entries) {
    const Limits limits{entry.limits.rate > 0 ? entry.limits.rate : defaults_.rate,
                        entry.limits.in_flight > 0 ? entry.limits.in_flight : defaults_.in_flight};
    const auto known = find(*before, entry.digest);
    auto meter = known ? known->meter : std::make_shared<Meter>();
    const auto front = front_of(entry.digest);
    after->emplace(front, std::make_shared<const Key>(Key{std::move(entry), limits, std::move(meter)}));
  }
  keys_in_use_ = after->size();
  const MutexLock lock(mutex_);
  keys_ = after;
  return true;
}

std::shared_ptr<const KeyRing::Keys> KeyRing::keys() const {
  const MutexLock lock(mutex_);
  return keys_;
}

std::shared_ptr<const Key> KeyRing::find(const Keys& keys, const tls::Sha256& digest) {
  const auto [begin, end] = keys.equal_range(front_of(digest));
  for (auto one = begin; one != end; ++one)
    if (tls::equal_in_constant_time(one->second->entry.digest, digest)) return one->second;
  return nullptr;
}

std::shared_ptr<const Key> KeyRing::find(std::string_view key) const { return find(*keys(), tls::sha256(key)); }

void add_limit_flags(config::CommandLine& app, Limits& of_key, Limits& of_address) {
  const auto rate = [&](const std::string& name, double& value, const std::string& help) {
    app.add_option(name, value, help).check(config::range(0.0, kMaxRate)).show_default();
  };
  const auto in_flight = [&](const std::string& name, std::uint32_t& value, const std::string& help) {
    app.add_option(name, value, help).check(config::range(0, kMaxInFlight)).show_default();
  };
  rate("--max-rate-per-key", of_key.rate,
       "Requests a second with a key whose line has no rate=; more are answered 429; 0: any");
  in_flight("--max-in-flight-per-key", of_key.in_flight,
            "Requests at a time with a key whose line has no in-flight=; more are answered 429; 0: any");
  rate("--max-rate-per-address", of_address.rate,
       "Requests a second of one address (or 64 bits of an IPv6 address); more are answered 429; 0: any");
  in_flight("--max-in-flight-per-address", of_address.in_flight,
            "Requests at a time of one address; more are answered 429; 0: any");
}

}  // namespace frond::keys
