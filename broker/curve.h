#pragma once
// The broker's side of CURVE, as the options want it: its keys and the leaves', and how failed handshakes are counted.
#include <optional>

#include "broker/cluster/zmq_leaf_client.h"
#include "broker/options.h"
#include "common/base/log.h"
#include "common/base/result.h"
#include "common/metrics/registry.h"

namespace frond::broker {

// None: no CURVE is wanted. Errors name the flag and the file. Logs a warning when everybody can read the secret key.
Result<std::optional<cluster::ZmqLeafClients::Curve>> read_curve(const Options& options, Logger& log);

// `failures` outlives the registry's last exposition. With CURVE and without: a leaf may use it all the same.
void export_handshakes(metrics::Registry& registry, const cluster::HandshakeFailures& failures);

}  // namespace frond::broker
