#include "common/http/access_log.h"

#include <cmath>
#include <limits>
#include <string>

namespace frond::http {
namespace {

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

}  // namespace

AccessLog::AccessLog(Logger& log, double share)
    : log_(log), least_(share >= 1 ? 0 : kAll - static_cast<std::uint64_t>(std::ldexp(share, 64))), on_(share > 0) {}

void AccessLog::note(const AnsweredRequest& request) {
  if (!on_ || request.trace.span < least_) return;
  log_.info("request", {{"route", std::string(request.route)},
                        {"method", std::string(request.method)},
                        {"status", std::to_string(request.status)},
                        {"bytes", std::to_string(request.bytes)},
                        {"us", std::to_string(std::llround(request.seconds * 1e6))},
                        {"request_id", request.trace.request_id()},
                        {"trace_id", request.trace.trace_id()}});
}

}  // namespace frond::http
