#include "tools/load/load_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace frond::tools {
namespace {

double ms(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }

}  // namespace

std::string to_text(const LoadReport& report) {
  const auto& latency = report.latency;
  const auto queries = report.answers * report.queries_per_request;
  std::string out = fmt::format("{:.0f} queries/s over {:g} s; {} requests, {} answers\n", report.queries_per_second(),
                                report.seconds, report.requests, report.answers);
  out += fmt::format("latency ms  mean {:.3f}  p50 {:.3f}  p95 {:.3f}  p99 {:.3f}  p99.9 {:.3f}  max {:.3f}\n",
                     latency.mean() / 1e6, ms(latency.quantile(0.5)), ms(latency.quantile(0.95)),
                     ms(latency.quantile(0.99)), ms(latency.quantile(0.999)), ms(latency.max()));
  out += fmt::format("cache hits  {} ({:.1f} %)   degraded {}   refused {}\n", report.cache_hits,
                     queries ? 100.0 * static_cast<double>(report.cache_hits) / static_cast<double>(queries) : 0.0,
                     report.unsearched, report.refused);
  out += "status     ";
  for (const auto& [status, count] : report.statuses) out += fmt::format(" {}: {}", status, count);
  out += '\n';
  if (report.connection_errors > 0)
    out += fmt::format("connection errors {}, the first: {}\n", report.connection_errors, report.first_error);
  if (report.unanswered > 0)
    out += fmt::format("unanswered {}: in the latencies with the time they had waited, so those are lower bounds\n",
                       report.unanswered);
  return out;
}

std::string to_json(const LoadReport& report, const LoadOptions& options) {
  const auto& latency = report.latency;
  nlohmann::ordered_json out;
  out["loop"] = options.rate > 0 ? "open" : "closed";
  if (options.rate > 0) {
    out["rate"] = options.rate;
    out["seed"] = options.seed;
  }
  out["connections"] = options.connections;
  out["seconds"] = report.seconds;
  out["requests"] = report.requests;
  out["answers"] = report.answers;
  out["queries_per_request"] = report.queries_per_request;
  out["queries_per_second"] = report.queries_per_second();
  out["latency_ms"] = {{"mean", latency.mean() / 1e6},         {"p50", ms(latency.quantile(0.5))},
                       {"p95", ms(latency.quantile(0.95))},    {"p99", ms(latency.quantile(0.99))},
                       {"p99_9", ms(latency.quantile(0.999))}, {"max", ms(latency.max())}};
  out["cache_hits"] = report.cache_hits;
  out["degraded"] = report.unsearched;
  out["refused"] = report.refused;
  out["statuses"] = nlohmann::ordered_json::object();
  for (const auto& [status, count] : report.statuses) out["statuses"][std::to_string(status)] = count;
  out["connection_errors"] = report.connection_errors;
  if (!report.first_error.empty()) out["first_error"] = report.first_error;
  out["unanswered"] = report.unanswered;
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace frond::tools
