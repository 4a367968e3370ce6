#include "common/http/server/access_log.h"

#include <cmath>
#include <string>

namespace frond::http {
void AccessLog::note(const AnsweredRequest& request) {
  if (!sample_.draws(request.trace)) return;
  log_.info("request", {{"route", std::string(request.route)},
                        {"method", std::string(request.method)},
                        {"status", std::to_string(request.status)},
                        {"bytes", std::to_string(request.bytes)},
                        {"us", std::to_string(std::llround(request.seconds * 1e6))},
                        {"request_id", request.trace.request_id()},
                        {"trace_id", request.trace.trace_id()}});
}

}  // namespace frond::http
