#pragma once
// CURVE on the leaf, as the options set it: its keys, the clients that may connect, and its metrics. Empty if neither
// flag is given; brokers then connect unencrypted.
#include <memory>
#include <optional>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/metrics/registry.h"
#include "common/wire/router_socket.h"
#include "leaf/options.h"

namespace frond::leaf {

class Curve {
 public:
  // Errors name the flag and the file. Logs a warning if every user of the machine can read the secret key.
  static Result<Curve> read(const Options& options, Logger& log);
  // For RouterSocket, which this outlives; empty: no CURVE.
  std::optional<wire::RouterSocket::Curve> socket_config() const;
  // All 0 without CURVE. This and `socket` outlive the registry's last exposition.
  void export_metrics(metrics::Registry& registry, const wire::RouterSocket& socket) const;

 private:
  wire::CurveKeyPair keys_;
  std::unique_ptr<wire::CurveClients> clients_;  // null: no CURVE
};

}  // namespace frond::leaf
