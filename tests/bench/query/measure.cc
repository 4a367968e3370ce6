#include "tests/bench/query/measure.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>

namespace frond::bench {
namespace {

double percentile(std::vector<double>& values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

}  // namespace

Timing measure(leaf::engine::QueryEngine& engine, const support::IndexedCollection& index,
               const std::vector<std::vector<support::TermNumber>>& queries, leaf::engine::Mode mode, std::uint32_t k,
               int rounds) {
  const SteadyClock clock;
  std::vector<double> best(queries.size(), std::numeric_limits<double>::max());
  Timing timing;
  for (int round = 0; round < rounds; ++round) {
    timing.checksum = timing.postings = 0;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto plan = index.plan(0, queries[q], mode, k);
      const auto before = std::chrono::steady_clock::now();
      const auto outcomes = engine.search(std::span(&plan, 1), clock);
      const auto after = std::chrono::steady_clock::now();
      FROND_CHECK(outcomes.size() == 1 && outcomes[0].has_value());
      best[q] = std::min(best[q], std::chrono::duration<double, std::micro>(after - before).count());
      timing.postings += static_cast<double>(outcomes[0]->postings_decoded) / static_cast<double>(queries.size());
      for (const auto& hit : outcomes[0]->hits)
        timing.checksum = timing.checksum * 0x9e3779b97f4a7c15ULL + (hit.ordinal << 32 | hit.score);
    }
  }
  for (const double us : best) timing.mean_us += us / static_cast<double>(best.size());
  timing.p50_us = percentile(best, 0.5);
  timing.p99_us = percentile(best, 0.99);
  return timing;
}

void print_header() {
  std::printf("%-12s %-4s %5s %10s %10s %10s %12s  %s\n", "engine", "mode", "k", "mean us", "p50 us", "p99 us",
              "postings", "checksum");
}

void print_row(std::string_view engine, leaf::engine::Mode mode, std::uint32_t k, const Timing& timing) {
  std::printf("%-12.*s %-4s %5u %10.1f %10.1f %10.1f %12.0f  %016llx\n", static_cast<int>(engine.size()), engine.data(),
              mode == leaf::engine::Mode::kAnd ? "and" : "or", k, timing.mean_us, timing.p50_us, timing.p99_us,
              timing.postings, static_cast<unsigned long long>(timing.checksum));
  std::fflush(stdout);
}

}  // namespace frond::bench
