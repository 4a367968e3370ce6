#include "tools/bench/query/query_report.h"

#include <fmt/format.h>

#include <cstdio>

#include <nlohmann/json.hpp>

namespace frond::tools::bench {
void print_query_header() {
  fmt::print("{:20} {:4} {:>5} {:>7} {:>40} {:>40} {:>10} {:>10}  {}\n", "algorithm", "mode", "k", "threads",
             "whole search us: mean median p95 p99", "evaluation us: mean median p95 p99", "queries/s", "postings",
             "answers");
}

void print_query_timing(std::string_view algorithm, std::string_view mode, std::uint32_t k, std::uint32_t threads,
                        const QueryTiming& timing) {
  const auto shown = [](const Distribution& us) {
    return fmt::format("{:>10.2f} {:>9.2f} {:>9.2f} {:>9.2f}", us.mean, us.median, us.p95, us.p99);
  };
  fmt::print("{:20} {:4} {:>5} {:>7} {} {} {:>10.0f} {:>10.0f}  {:016x}\n", algorithm, mode, k, threads,
             shown(timing.whole), shown(timing.evaluation), timing.queries_per_second, timing.postings,
             timing.checksum);
  std::fflush(stdout);
}

nlohmann::ordered_json query_timing_as_json(std::string_view algorithm, std::string_view mode, std::uint32_t k,
                                            const QueryTiming& timing) {
  return {{"algorithm", algorithm},
          {"mode", mode},
          {"k", k},
          {"whole_us", as_json(timing.whole)},
          {"evaluation_us", as_json(timing.evaluation)},
          {"queries_per_second", timing.queries_per_second},
          {"best_queries_per_second", timing.best_queries_per_second},
          {"postings", timing.postings},
          {"answers", fmt::format("{:016x}", timing.checksum)}};
}

}  // namespace frond::tools::bench
