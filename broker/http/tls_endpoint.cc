#include "broker/http/tls_endpoint.h"

#include <utility>

#include "broker/http/monitoring/broker_metrics.h"
#include "common/base/text.h"

namespace frond::broker::http {

Result<std::unique_ptr<TlsEndpoint>> TlsEndpoint::create(std::string certificate_file, std::string key_file,
                                                         cluster::TimerQueue& timers, Logger& log,
                                                         metrics::Registry& registry) {
  auto identity = FROND_TRY(tls::ServerIdentity::load(std::move(certificate_file), std::move(key_file)));
  return std::unique_ptr<TlsEndpoint>(new TlsEndpoint(std::move(identity), timers, log, registry));
}

TlsEndpoint::TlsEndpoint(std::unique_ptr<tls::ServerIdentity> identity, cluster::TimerQueue& timers, Logger& log,
                         metrics::Registry& registry)
    : identity_(std::move(identity)),
      log_(log),
      registry_(registry),
      expiry_(registry.gauge(families::kTlsExpiry)),
      reloaded_(registry.counter(families::kTlsReloads, {{"outcome", "ok"}})),
      refused_(registry.counter(families::kTlsReloads, {{"outcome", "failed"}})),
      looks_(timers, kLookInterval, [this] { look(); }) {
  for (const char* reason : {"plain", "closed", "refused", "timeout"})
    registry.counter(families::kTlsHandshakeFailures, {{"reason", reason}});  // there from the start, as 0
  tell("TLS certificate in use");
}

void TlsEndpoint::tell(std::string_view what) {
  const auto ends = identity_->expires();
  expiry_.set(static_cast<double>(std::chrono::system_clock::to_time_t(ends)));
  if (ends <= std::chrono::system_clock::now())
    log_.warn("the TLS certificate is out of date: clients will refuse it", {{"expired", utc_text(kUtcSeconds, ends)}});
  else
    log_.info(what, {{"expires", utc_text(kUtcSeconds, ends)}});
}

void TlsEndpoint::look() {
  const auto changed = identity_->refresh();
  if (!changed) {
    refused_.add();
    log_.warn("new TLS certificate refused; the old one stays", {{"reason", changed.error().message()}});
  } else if (*changed) {
    reloaded_.add();
    tell("new TLS certificate in use");
  }
}

void TlsEndpoint::count_failure(std::string_view reason) {
  registry_.counter(families::kTlsHandshakeFailures, {{"reason", std::string(reason)}}).add();
}

}  // namespace frond::broker::http
