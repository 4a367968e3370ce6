#pragma once
// A build's progress over HTTP while it runs, for Prometheus: /metrics and /livez. The process of a build ends before a
// scrape sees the last values, so linger() keeps the server for a while.
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "common/base/result.h"
#include "indexer/build.h"

namespace frond::indexer {

class BuildStatusServer {
 public:
  // Serves from a thread of its own until it is destroyed; `progress`, `requests` (to an object store) and
  // `logger` outlive it. kInvalid: the address is
  // malformed; kUnavailable: the port is in use.
  static Result<std::unique_ptr<BuildStatusServer>> create(const std::string& listen, const BuildProgress& progress,
                                                           const objects::Counts& requests, const Logger& logger);
  virtual ~BuildStatusServer() = default;
  virtual std::uint16_t port() const = 0;
};

// Returns after `time`, or as soon as stop is requested.
void linger(std::chrono::seconds time, const std::stop_token& stop);

}  // namespace frond::indexer
