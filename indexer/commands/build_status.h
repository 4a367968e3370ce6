#pragma once
// How far a build is, while it runs: a line on the terminal, and over HTTP for Prometheus.
#include <memory>
#include <string>
#include <thread>

#include "common/base/result.h"
#include "indexer/build/build.h"

namespace frond::indexer {

// A line that is updated while the build runs. Does nothing if stderr is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(const BuildProgress& progress);

 private:
  std::jthread thread_;
};

// /metrics and /livez, from a thread of its own until it is destroyed; `progress`, `requests` (to an object store) and
// `logger` outlive it.
class BuildStatusServer {
 public:
  // kInvalid: the address is malformed; kUnavailable: the port is in use.
  static Result<std::unique_ptr<BuildStatusServer>> create(const std::string& listen, const BuildProgress& progress,
                                                           const objects::Counts& requests, const Logger& logger);
  virtual ~BuildStatusServer() = default;
};

}  // namespace frond::indexer
