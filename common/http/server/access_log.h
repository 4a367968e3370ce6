#pragma once
// A line of the log for each request, or for a share of them.
#include "common/base/log.h"
#include "common/http/server/server.h"
#include "common/http/trace.h"

namespace frond::http {

// Thread-safe.
class AccessLog {
 public:
  // `share` of the requests. `log` outlives this.
  AccessLog(Logger& log, double share) : log_(log), sample_(share) {}
  // Its route, method, status, bytes and microseconds, and what it is known by; never what it asks for.
  void note(const AnsweredRequest& request);

 private:
  Logger& log_;
  const Sample sample_;
};

}  // namespace frond::http
