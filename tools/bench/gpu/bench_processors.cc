#include "tools/bench/gpu/bench_processors.h"

#include <fmt/format.h>

#include <cstdio>

#include <nlohmann/json.hpp>

namespace frond::tools::bench {
namespace {

using nlohmann::ordered_json;

void print(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

std::string line_of(const ProcessorRow& row) {
  std::string line = fmt::format("{:4} {:4} k {:<5} ", row.processor, name_of(row.mode), row.k);
  if (const auto& us = row.alone_us)
    return line + fmt::format("alone, us: mean {:.1f}, median {:.1f}, p95 {:.1f}, p99 {:.1f}", us->mean, us->median,
                              us->p95, us->p99);
  const Spread& rate = row.queries_per_second;
  line += fmt::format("batch {:<5} {:>3} callers {:>10.0f} queries/s ({:.0f} .. {:.0f})", row.batch, row.callers,
                      rate.median, rate.min, rate.max);
  if (row.steps.empty()) return line;
  line += "; of the time, %:";
  for (const auto& step : row.steps) line += fmt::format(" {} {:.0f}", step.name, step.percent);
  return line;
}

ordered_json as_json(const ProcessorRow& row) {
  ordered_json out{{"processor", row.processor}, {"mode", name_of(row.mode)}, {"k", row.k}};
  if (const auto& us = row.alone_us) {
    out["alone_us"] = as_json(*us);
    return out;
  }
  out["batch"] = row.batch;
  out["callers"] = row.callers;
  out["queries_per_second"] = as_json(row.queries_per_second);
  for (const auto& step : row.steps) out["steps_percent"][std::string(step.name)] = step.percent;
  return out;
}

std::string line_of(const PostingsRow& row) {
  std::string line = fmt::format("{:>12} .. {:>12} postings, {:>5} queries: CPU {:>9.0f}; GPU", row.min_postings,
                                 row.max_postings, row.queries, row.cpu_queries_per_second);
  for (const auto& [batch, rate] : row.gpu)
    line += fmt::format(" {:>9.0f}{}", rate, rate > row.cpu_queries_per_second ? '*' : ' ');
  return line + fmt::format("; alone {:.1f} {:.1f}{}", row.cpu_alone_us, row.gpu_alone_us,
                            row.gpu_alone_us < row.cpu_alone_us ? "*" : "");
}

ordered_json as_json(const PostingsRow& row) {
  ordered_json gpu = ordered_json::array();
  for (const auto& [batch, rate] : row.gpu) gpu.push_back({{"batch", batch}, {"queries_per_second", rate}});
  return {{"mode", name_of(row.mode)},
          {"k", row.k},
          {"least_postings", row.min_postings},
          {"most_postings", row.max_postings},
          {"queries", row.queries},
          {"cpu_queries_per_second", row.cpu_queries_per_second},
          {"cpu_alone_us", row.cpu_alone_us},
          {"gpu_alone_us", row.gpu_alone_us},
          {"gpu", gpu}};
}

}  // namespace

Result<void> bench_processors(PartitionSearcher& searcher, std::span<const BenchQuery> queries,
                              const ProcessorOptions& options, const Processors& processors, bool json) {
  auto rows = ordered_json::array();
  ProcessorObserver observer;
  if (json)
    observer = {.say = {},
                .row = [&](const ProcessorRow& row) { rows.push_back(as_json(row)); },
                .by_postings = [&](const PostingsRow& row) { rows.push_back(as_json(row)); }};
  else
    observer = {.say = print,
                .row = [&](const ProcessorRow& row) { print(line_of(row)); },
                .by_postings = [](const PostingsRow& row) { print(line_of(row)); }};
  const auto summary = FROND_TRY(measure_processors(searcher, queries, options, processors, observer));
  if (!json) return {};
  const ordered_json out{{"partition", searcher.description()},
                         {"queries", summary.queries},
                         {"postings_a_query", summary.postings_a_query},
                         {"ranked", options.ranked},
                         {"rounds", options.rounds},
                         {"gpu_list_bytes", processors.gpu ? processors.gpu->counters().held_bytes : 0},
                         {"gpu_plain_bytes", processors.gpu ? processors.gpu->counters().plain_bytes : 0},
                         {"rows", rows}};
  fmt::print("{}\n", out.dump());
  return {};
}

}  // namespace frond::tools::bench
