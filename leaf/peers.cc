#include "leaf/peers.h"

#include <algorithm>
#include <string>
#include <vector>

#include "leaf/families/metric_families.h"
#include "leaf/probes.h"

namespace frond::leaf {
namespace {
constexpr std::size_t kUsualPeers = 4096, kMinPeers = 8, kMinByAddress = 16;
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

void export_peers(metrics::Registry& registry, const wire::RouterSocket& socket, std::size_t max_peers) {
  registry.gauge(families::kMaxPeers).set(static_cast<double>(max_peers));
  std::vector<metrics::FollowingCounter> outcomes;
  outcomes.reserve(wire::kPeerOutcomes.size());
  for (const std::string_view outcome : wire::kPeerOutcomes)
    outcomes.push_back(registry.following_counter(families::kPeerConnections, {{"outcome", std::string(outcome)}}));
  registry.before_scrape([&socket, peers = registry.gauge(families::kPeers), outcomes]() mutable {
    peers.set(static_cast<double>(socket.peers()));
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      outcomes[i].follow(socket.peer_counts().of(static_cast<wire::PeerOutcome>(i)));
  });
}

}  // namespace frond::leaf
