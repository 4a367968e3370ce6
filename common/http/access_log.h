#pragma once
// A line of the log for each request, or for a share of them.
#include <cstdint>

#include "common/base/log.h"
#include "common/http/server.h"

namespace frond::http {

// Thread-safe.
class AccessLog {
 public:
  // `share` of the requests, 0 .. 1, drawn by the spans, which clients don't choose. `log` outlives this.
  AccessLog(Logger& log, double share);
  // Its route, method, status, bytes and microseconds, and what it is known by; never what it asks for.
  void note(const AnsweredRequest& request);

 private:
  Logger& log_;
  const std::uint64_t least_;  // a span: its request is logged
  const bool on_;
};

}  // namespace frond::http
