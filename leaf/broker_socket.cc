#include "leaf/broker_socket.h"

#include <algorithm>
#include <optional>
#include <string>

#include "leaf/families/metric_families.h"
#include "leaf/probes.h"

namespace frond::leaf {
namespace {
constexpr std::size_t kUsualPeers = 4096, kMinPeers = 8, kMinByAddress = 16;
}

Result<Curve> read_curve(const Options& options, Logger& log) {
  Curve curve;
  if (options.curve_secret_key.empty()) return curve;
  auto keys = wire::read_curve_secret_key(options.curve_secret_key);
  if (!keys) return std::move(keys).error().within("--curve-secret-key");
  auto clients = wire::CurveClients::open(options.curve_clients);
  if (!clients) return std::move(clients).error().within("--curve-clients");
  if (wire::readable_by_everybody(options.curve_secret_key))
    log.warn("everybody on this machine can read the secret key", {{"file", options.curve_secret_key}});
  curve.keys = *std::move(keys);
  curve.clients = *std::move(clients);
  return curve;
}

PeerNumbers peer_numbers(const Options& options, std::size_t open_files, Logger& log) {
  const std::size_t allowed = std::max(kMinPeers, (open_files - std::min(open_files, kProbeConnections)) / 2);
  PeerNumbers numbers{std::min(options.max_peers > 0 ? options.max_peers : kUsualPeers, allowed), 0};
  if (numbers.max_peers < options.max_peers)
    log.warn("fewer connections of brokers than --max-peers: the limit of open files is too low",
             {{"connections", std::to_string(numbers.max_peers)}, {"open_files", std::to_string(open_files)}});
  const std::size_t wanted =
      options.max_peers_by_address > 0 ? options.max_peers_by_address : std::max(kMinByAddress, numbers.max_peers / 4);
  numbers.max_by_address = std::min(wanted, numbers.max_peers);
  return numbers;
}

Result<std::unique_ptr<wire::RouterSocket>> open_socket(const Options& options, const PeerNumbers& peers,
                                                        const Curve& curve, Logger& log) {
  std::optional<wire::RouterSocket::Curve> of_socket;
  if (curve.clients) of_socket = {curve.keys, curve.clients.get()};
  return wire::RouterSocket::create({.listen = options.listen,
                                     .io_threads = options.io_threads,
                                     .max_peers = peers.max_peers,
                                     .max_peers_by_address = peers.max_by_address,
                                     .curve = of_socket,
                                     .log = &log});
}

void export_socket(metrics::Registry& registry, const wire::RouterSocket& socket, const Curve& curve,
                   const PeerNumbers& peers) {
  using wire::CurveCounters, wire::RouterSocket;
  registry.gauge(families::kMaxPeers).set(static_cast<double>(peers.max_peers));
  const families::Export of_socket(registry, [&socket]() -> const RouterSocket& { return socket; });
  of_socket.gauge(families::kPeers, &RouterSocket::peers);
  of_socket.counter(families::kRepliesLost, &RouterSocket::dropped);
  for (std::size_t i = 0; i < wire::kPeerOutcomes.size(); ++i)
    of_socket.counter(families::kPeerConnections,
                      [i](const RouterSocket& now) { return now.peer_counts().of(static_cast<wire::PeerOutcome>(i)); },
                      {{"outcome", std::string(wire::kPeerOutcomes[i])}});
  const families::Export of_curve(registry, [&socket] { return socket.curve(); });
  of_curve.counter(families::kHandshakes, &CurveCounters::accepted, {{"result", "accepted"}});
  of_curve.counter(families::kHandshakes, &CurveCounters::refused, {{"result", "refused"}});
  of_curve.counter(families::kHandshakes, &CurveCounters::failed, {{"result", "failed"}});
  of_curve.counter(families::kRequestsRevoked, &CurveCounters::revoked);
  const families::Export of_clients(registry, [&curve] { return curve.clients.get(); });
  of_clients.gauge(families::kCurveClients, [](const auto* clients) { return clients ? clients->keys()->size() : 0; });
  of_clients.gauge(families::kCurveClientsStale, [](const auto* clients) { return clients && clients->stale(); });
}

}  // namespace frond::leaf
