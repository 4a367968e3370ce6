#include "broker/curve.h"

namespace frond::broker {

Result<std::optional<cluster::ZmqLeafClients::Curve>> read_curve(const Options& options, Logger& log) {
  if (options.curve_secret_key.empty()) return std::optional<cluster::ZmqLeafClients::Curve>();
  auto own = wire::read_curve_secret_key(options.curve_secret_key);
  if (!own) return std::move(own).error().within("--curve-secret-key");
  auto leaf = wire::read_curve_public_key(options.curve_leaf_key);
  if (!leaf) return std::move(leaf).error().within("--curve-leaf-key");
  if (wire::readable_by_everybody(options.curve_secret_key))
    log.warn("everybody on this machine can read the secret key", {{"file", options.curve_secret_key}});
  return std::optional(cluster::ZmqLeafClients::Curve{*std::move(own), *std::move(leaf)});
}

}  // namespace frond::broker
