#include "tools/bench/query/query_timing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "tools/bench/clocks.h"

namespace frond::tools::bench {
namespace {

struct Asked {
  std::uint64_t whole_ns = 0, evaluation_ns = 0;
  std::uint64_t postings = 0, checksum = 0;
  std::uint64_t matches = 0;
};

std::uint64_t checksum_of(std::span<const topk::Hit> hits) {
  std::uint64_t sum = hits.size();
  for (const auto& hit : hits) sum = (sum ^ hit.ordinal) * 0x9e3779b97f4a7c15u + hit.score;
  return sum;
}

Result<Asked> ask_once(PartitionSearcher& searcher, leaf::engine::QueryEngine& engine, const BenchQuery& query,
                       leaf::engine::Mode mode, const TimingOptions& options, const Clock& clock) {
  const std::uint64_t start = thread_nanoseconds();
  auto plan = FROND_TRY(searcher.plan(query, mode, options.k));
  plan.count_to = std::max<std::uint64_t>(options.k, options.count_to);
  plan.ranked = options.ranked;
  const std::uint64_t planned = thread_nanoseconds();
  auto outcomes = engine.search(std::span(&plan, 1), clock);
  const std::uint64_t end = thread_nanoseconds();
  const auto outcome = FROND_TRY(std::move(outcomes[0]));
  const std::uint64_t checksum = checksum_of(outcome.hits) + (options.ranked ? 0 : outcome.matches);
  return Asked{end - start, end - planned, outcome.postings_decoded, checksum, outcome.matches};
}

Result<Asked> ask(PartitionSearcher& searcher, leaf::engine::QueryEngine& engine, const BenchQuery& query,
                  const TimingOptions& options, const Clock& clock) {
  if (options.mode == BenchMode::kOr) return ask_once(searcher, engine, query, leaf::engine::Mode::kOr, options, clock);
  auto asked = FROND_TRY(ask_once(searcher, engine, query, leaf::engine::Mode::kAnd, options, clock));
  if (options.mode == BenchMode::kAnd || asked.matches >= options.k) return asked;
  const auto more = FROND_TRY(ask_once(searcher, engine, query, leaf::engine::Mode::kOr, options, clock));
  asked.whole_ns += more.whole_ns;
  asked.evaluation_ns += more.evaluation_ns;
  asked.postings += more.postings;
  asked.checksum = more.checksum;
  return asked;
}

// The best values of one query over the rounds. In each round only the thread that took the query writes it.
struct Best {
  double whole_us = std::numeric_limits<double>::max(), evaluation_us = whole_us;
  std::uint64_t postings = 0, checksum = 0;
};

}  // namespace

Result<QueryTiming> time_queries(PartitionSearcher& searcher, leaf::engine::QueryEngine& engine,
                                 std::span<const BenchQuery> queries, const TimingOptions& options) {
  const SteadyClock clock;
  std::vector<Best> best(queries.size());
  std::vector<std::optional<Error>> errors(options.threads);
  std::vector<double> rates;
  for (std::uint32_t round = 0; round < options.rounds; ++round) {
    std::atomic<std::size_t> next{0};
    const auto work = [&](std::uint32_t thread) {
      for (std::size_t q; (q = next.fetch_add(1, std::memory_order_relaxed)) < queries.size();) {
        auto asked = ask(searcher, engine, queries[q], options, clock);
        if (!asked) {
          errors[thread] = std::move(asked).error().within(fmt::format("query {}", q + 1));
          return;
        }
        best[q].whole_us = std::min(best[q].whole_us, static_cast<double>(asked->whole_ns) / 1e3);
        best[q].evaluation_us = std::min(best[q].evaluation_us, static_cast<double>(asked->evaluation_ns) / 1e3);
        best[q].postings = asked->postings;
        best[q].checksum = asked->checksum;
      }
    };
    const auto start = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> threads;
      for (std::uint32_t t = 0; t < options.threads; ++t) threads.emplace_back(work, t);
    }
    const double seconds = seconds_since(start);
    for (auto& error : errors)
      if (error) return *std::move(error);
    rates.push_back(static_cast<double>(queries.size()) / seconds);
  }
  QueryTiming timing;
  std::vector<double> whole, evaluation;
  for (const auto& one : best) {
    whole.push_back(one.whole_us);
    evaluation.push_back(one.evaluation_us);
    timing.postings += static_cast<double>(one.postings) / static_cast<double>(best.size());
    timing.checksum = (timing.checksum ^ one.checksum) * 0x9e3779b97f4a7c15u + 1;
  }
  timing.whole = distribution_of(std::move(whole));
  timing.evaluation = distribution_of(std::move(evaluation));
  const auto rate = distribution_of(rates);
  timing.queries_per_second = rate.median;
  timing.best_queries_per_second = *std::max_element(rates.begin(), rates.end());
  return timing;
}

}  // namespace frond::tools::bench
