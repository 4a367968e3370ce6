#pragma once
// A line of the log for each request, or for a share of them.
#include <cstdint>

#include "common/base/log.h"
#include "common/http/server.h"

namespace frond::http {

// Thread-safe.
class AccessLog {
 public:
  // `share` of the requests, 0 .. 1: those of a trace all or none, in whatever process they are answered. `log`
  // outlives this.
  AccessLog(Logger& log, double share);
  // Its route, method, status, bytes and microseconds, and what it is known by; never what it asks for.
  void note(const AnsweredRequest& request);

 private:
  Logger& log_;
  const std::uint64_t least_;  // of what is made of a trace's id: it is logged
  const bool on_;
};

}  // namespace frond::http
