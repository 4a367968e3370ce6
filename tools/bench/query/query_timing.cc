#include "tools/bench/query/query_timing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include <fmt/format.h>

#include "common/base/threads/parallel.h"
#include "tools/bench/query/expected_counts.h"

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
  // One reading of the clock is in each time, as in any.
  return Asked{end - start - thread_clock_nanoseconds(), end - planned, outcome.postings_decoded, checksum,
               outcome.matches};
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
  std::vector<double> rates;
  for (std::uint32_t round = 0; round < options.rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    FROND_TRY(frond::in_parallel(queries.size(), options.threads, [&](std::size_t q) -> Result<void> {
      auto asked = ask(searcher, engine, queries[q], options, clock);
      if (!asked) return std::move(asked).error().within(fmt::format("query {}", q + 1));
      best[q].whole_us = std::min(best[q].whole_us, static_cast<double>(asked->whole_ns) / 1e3);
      best[q].evaluation_us = std::min(best[q].evaluation_us, static_cast<double>(asked->evaluation_ns) / 1e3);
      best[q].postings = asked->postings;
      best[q].checksum = asked->checksum;
      return {};
    }));
    const double seconds = seconds_since(start);
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

namespace {

using leaf::engine::Mode, leaf::engine::Outcome, leaf::engine::Plan;

constexpr std::size_t kComparedAtOnce = 256;

// The plans of one mode, contiguous as engines take them.
struct Plans {
  std::vector<Plan> first, second;  // kAuto: AND, OR; otherwise `second` is empty
};
Plans plans_of(BenchMode mode, std::span<const PlannedQuery> queries) {
  Plans plans;
  for (const auto& query : queries) {
    plans.first.push_back(mode == BenchMode::kOr ? query.disjunction : query.conjunction);
    if (mode == BenchMode::kAuto) plans.second.push_back(query.disjunction);
  }
  return plans;
}

// Answers queries [begin, end).
Result<std::vector<Outcome>> answer(leaf::engine::QueryEngine& engine, const Plans& plans, std::size_t begin,
                                    std::size_t end, const Clock& clock) {
  auto found = engine.search(std::span(plans.first).subspan(begin, end - begin), clock);
  std::vector<Outcome> outcomes;
  outcomes.reserve(found.size());
  for (auto& one : found) outcomes.push_back(FROND_TRY(std::move(one)));
  if (plans.second.empty()) return outcomes;
  std::vector<Plan> more;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].matches >= plans.first[begin + i].k) continue;
    more.push_back(plans.second[begin + i]);
    places.push_back(i);
  }
  if (more.empty()) return outcomes;
  auto rest = engine.search(more, clock);
  for (std::size_t i = 0; i < rest.size(); ++i) outcomes[places[i]] = FROND_TRY(std::move(rest[i]));
  return outcomes;
}

// Whether what `one` found is what `other` did for the same plan, or what decoding all of its lists gives.
Result<bool> is_same(const Plan& plan, const Outcome& one, const Outcome& other) {
  const bool same_hits = plan.order ? FROND_TRY(expected_first(plan)) == one.hits : other.hits == one.hits;
  if (!same_hits || (!plan.ranked && other.matches != one.matches)) return false;
  return plan.counted.empty() || FROND_TRY(expected_counts(plan)) == one.counts;
}

Result<double> one_round(leaf::engine::QueryEngine& engine, const Plans& plans, const BatchTiming& timing) {
  const SteadyClock clock;
  const std::size_t count = plans.first.size(), parts = (count + timing.batch - 1) / timing.batch;
  std::atomic<std::size_t> next{0}, limit{std::numeric_limits<std::size_t>::max()};
  const auto start = std::chrono::steady_clock::now();
  auto called = frond::in_parallel(timing.callers, timing.callers, [&](std::size_t) -> Result<void> {
    for (std::size_t i; (i = next++) < limit;) {
      // The round ends where a pass would begin after the round's time, or after an error.
      if (i > 0 && i % parts == 0 && seconds_since(start) >= timing.seconds) {
        limit = i;
        break;
      }
      const std::size_t begin = i % parts * timing.batch;
      auto done = answer(engine, plans, begin, std::min(begin + timing.batch, count), clock);
      if (!done) limit = 0;
      FROND_TRY(std::move(done));
    }
    return {};
  });
  FROND_TRY(std::move(called));
  const double seconds = seconds_since(start);
  const std::size_t rounds = limit / parts;  // only whole passes were begun
  return static_cast<double>(rounds * count) / seconds;
}

}  // namespace

Result<std::vector<PlannedQuery>> plan_queries(PartitionSearcher& searcher, std::span<const BenchQuery> queries,
                                               std::uint32_t k, bool ranked) {
  std::vector<PlannedQuery> planned;
  for (const auto& query : queries) {
    PlannedQuery one{.conjunction = FROND_TRY(searcher.plan(query, Mode::kAnd, k))};
    one.disjunction = FROND_TRY(searcher.plan(query, Mode::kOr, k));
    one.conjunction.ranked = one.disjunction.ranked = ranked;
    for (const auto& term : one.disjunction.terms) one.postings += term.list->postings.count();
    if (one.disjunction.terms.size() == query.size()) planned.push_back(std::move(one));
  }
  if (planned.empty()) return Error(Code::kInvalid, "the partition has all terms of no query");
  return planned;
}

Result<Spread> time_batches(leaf::engine::QueryEngine& engine, BenchMode mode, std::span<const PlannedQuery> queries,
                            const BatchTiming& timing) {
  const Plans plans = plans_of(mode, queries);
  std::vector<double> rates;
  for (std::uint32_t round = 0; round < timing.rounds; ++round)
    rates.push_back(FROND_TRY(one_round(engine, plans, timing)));
  return spread_of(std::move(rates));
}

Result<Distribution> time_alone(leaf::engine::QueryEngine& engine, BenchMode mode,
                                std::span<const PlannedQuery> queries, std::uint32_t rounds) {
  const SteadyClock clock;
  const Plans plans = plans_of(mode, queries);
  std::vector<double> best(queries.size(), std::numeric_limits<double>::max());
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const auto start = std::chrono::steady_clock::now();
      FROND_TRY(answer(engine, plans, i, i + 1, clock));
      best[i] = std::min(best[i], seconds_since(start) * 1e6);
    }
  return distribution_of(std::move(best));
}

Result<std::size_t> count_differing(leaf::engine::QueryEngine& one, leaf::engine::QueryEngine& other, BenchMode mode,
                                    std::span<const PlannedQuery> queries, std::uint32_t threads) {
  const SteadyClock clock;
  const Plans plans = plans_of(mode, queries);
  std::vector<Outcome> expected;
  for (std::size_t begin = 0; begin < queries.size(); begin += kComparedAtOnce)
    for (auto& outcome : FROND_TRY(answer(one, plans, begin, std::min(begin + kComparedAtOnce, queries.size()), clock)))
      expected.push_back(std::move(outcome));
  std::atomic<std::size_t> differing{0};
  auto compared = frond::in_parallel(queries.size(), threads, [&](std::size_t i) -> Result<void> {
    const auto found = FROND_TRY(answer(other, plans, i, i + 1, clock));
    if (!FROND_TRY(is_same(plans.first[i], expected[i], found[0]))) ++differing;
    return {};
  });
  FROND_TRY(std::move(compared));
  return differing.load();
}

}  // namespace frond::tools::bench
