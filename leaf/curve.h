#pragma once
// The leaf's side of CURVE, as the options want it: its keys, who may connect, and how that is counted. With neither
// flag there is nothing in it, and brokers connect in the clear.
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
  // Errors name the flag and the file. Logs a warning when everybody can read the secret key.
  static Result<Curve> read(const Options& options, Logger& log);
  // For RouterSocket, which this outlives; none: no CURVE.
  std::optional<wire::RouterSocket::Curve> socket_config() const;
  // All 0 without CURVE. This and `socket` outlive the registry's last exposition.
  void export_metrics(metrics::Registry& registry, const wire::RouterSocket& socket) const;

 private:
  wire::CurveKeyPair keys_;
  std::unique_ptr<wire::CurveClients> clients_;  // null: no CURVE
};

}  // namespace frond::leaf
