#pragma once
// How many connections of brokers a leaf takes, and the metrics of them.
#include <cstddef>

#include "common/base/log.h"
#include "common/metrics/registry.h"
#include "common/wire/router_socket.h"
#include "leaf/options.h"

namespace frond::leaf {

struct PeerNumbers {
  std::size_t max_peers, max_by_address;
};
// By the options, and by the number of files and sockets that may be open: probes need some, and half of the rest is
// for files of the partitions, of which there are twice as many while a generation is swapped. Logs a warning if that
// allows fewer than --max-peers.
PeerNumbers peer_numbers(const Options& options, std::size_t open_files, Logger& log);

// `socket` outlives the registry's last exposition.
void export_peers(metrics::Registry& registry, const wire::RouterSocket& socket, std::size_t max_peers);

}  // namespace frond::leaf
