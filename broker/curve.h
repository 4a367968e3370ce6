#pragma once
// The broker's CURVE keys, read from the files that its options name.
#include <optional>

#include "broker/cluster/zmq_leaf_client.h"
#include "broker/options.h"
#include "common/base/log.h"
#include "common/base/result.h"

namespace frond::broker {

// None: the options name no keys, so CURVE is not used. Errors name the flag and the file. Logs a warning if every user
// of the machine can read the secret key.
Result<std::optional<cluster::ZmqLeafClients::Curve>> read_curve(const Options& options, Logger& log);

}  // namespace frond::broker
