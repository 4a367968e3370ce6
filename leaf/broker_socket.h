#pragma once
// The socket that brokers connect to, as the options set it: CURVE, how many connections, and the metrics of both.
#include <cstddef>
#include <memory>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/metrics/registry.h"
#include "common/wire/router_socket.h"
#include "leaf/options.h"

namespace frond::leaf {

// CURVE on the leaf: its keys and the clients that may connect. Empty if neither flag is given; brokers then connect
// unencrypted.
struct Curve {
  wire::CurveKeyPair keys;
  std::unique_ptr<wire::CurveClients> clients;  // null: no CURVE
};
// Errors name the flag and the file. Logs a warning if every user of the machine can read the secret key.
Result<Curve> read_curve(const Options& options, Logger& log);

// How many connections of brokers a leaf takes.
struct PeerNumbers {
  std::size_t max_peers, max_by_address;
};
// By the options, and by the number of files and sockets that may be open: probes need some, and half of the rest is
// for files of the partitions, of which there are twice as many while a generation is swapped. Logs a warning if that
// allows fewer than --max-peers.
PeerNumbers peer_numbers(const Options& options, std::size_t open_files, Logger& log);

// `curve` and `log` outlive the socket. Errors: as RouterSocket::create().
Result<std::unique_ptr<wire::RouterSocket>> open_socket(const Options& options, const PeerNumbers& peers,
                                                        const Curve& curve, Logger& log);
// Metrics of connections and of CURVE, which are 0 without it. All outlive the registry's last exposition.
void export_socket(metrics::Registry& registry, const wire::RouterSocket& socket, const Curve& curve,
                   const PeerNumbers& peers);

}  // namespace frond::leaf
