#include "leaf/curve.h"

#include "leaf/families/metric_families.h"

namespace frond::leaf {

Result<Curve> Curve::read(const Options& options, Logger& log) {
  Curve curve;
  if (options.curve_secret_key.empty()) return curve;
  auto keys = wire::read_curve_secret_key(options.curve_secret_key);
  if (!keys) return std::move(keys).error().within("--curve-secret-key");
  auto clients = wire::CurveClients::open(options.curve_clients);
  if (!clients) return std::move(clients).error().within("--curve-clients");
  if (wire::readable_by_everybody(options.curve_secret_key))
    log.warn("everybody on this machine can read the secret key", {{"file", options.curve_secret_key}});
  curve.keys_ = *std::move(keys);
  curve.clients_ = *std::move(clients);
  return curve;
}

std::optional<wire::RouterSocket::Curve> Curve::socket_config() const {
  if (!clients_) return std::nullopt;
  return wire::RouterSocket::Curve{keys_, &*clients_};
}

void Curve::export_metrics(metrics::Registry& registry, const wire::RouterSocket& socket) const {
  const auto result = [&](const char* name) {
    return registry.following_counter(families::kHandshakes, {{"result", name}});
  };
  registry.before_scrape([&socket, clients = clients_.get(), accepted = result("accepted"), refused = result("refused"),
                          failed = result("failed"), revoked = registry.following_counter(families::kRequestsRevoked),
                          keys = registry.gauge(families::kCurveClients),
                          stale = registry.gauge(families::kCurveClientsStale)]() mutable {
    const wire::CurveCounters now = socket.curve();
    accepted.follow(now.accepted);
    refused.follow(now.refused);
    failed.follow(now.failed);
    revoked.follow(now.revoked);
    keys.set(clients ? static_cast<double>(clients->keys()->size()) : 0);
    stale.set(clients && clients->stale() ? 1 : 0);
  });
}

}  // namespace frond::leaf
