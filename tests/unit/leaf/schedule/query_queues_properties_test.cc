// Thousands of random workloads under a virtual clock, with the queues as a leaf has them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "leaf/schedule/query_queues.h"
#include "tests/support/fluid_bound.h"
#include "tools/bench/schedule/schedule_simulation.h"
#include "tools/synth/random.h"

namespace frond::leaf::schedule {
namespace {

using std::chrono::microseconds;
using support::fluid_bound_us, tools::bench::poisson_arrivals, tools::bench::simulate, tools::bench::synthetic_queries;
using tools::bench::Arrival, tools::bench::SimulatedEnd, tools::bench::SimulatedQuery;
using tools::bench::SimulationOptions, tools::bench::SyntheticWorkload;
using tools::synth::Random;

SimulationOptions random_options(Random& random) {
  SimulationOptions options;
  options.queues.workers = random.below(9);
  options.queues.streams = random.below(4);
  if (options.queues.workers == 0 && options.queues.streams == 0) options.queues.workers = 1;
  options.queues.max_waiting = 1u << (3 + random.below(10));
  options.queues.max_batch = 1 + random.below(300);
  options.queues.max_batch_work = microseconds(100 + random.below(3000));
  options.launch_us = 5 + random.below(80);
  options.queues.launch = microseconds(static_cast<std::int64_t>(options.launch_us));
  options.deadline_us = std::exp(std::log(2e3) + random.unit() * std::log(500));  // 2 ms .. 1 s
  return options;
}

SyntheticWorkload random_workload(Random& random) {
  return {.cpu_median_us = std::exp(random.unit() * 7),
          .cpu_spread = random.unit() * 1.8,
          .gpu_median_us = std::exp(random.unit() * 5),
          .gpu_spread = random.unit(),
          .correlation = random.unit() * 2 - 1,
          .error = random.unit(),
          .bias = std::exp((random.unit() * 2 - 1) * std::log(5)),  // 0.2 .. 5
          .share_off_gpu = random.below(2) == 0 ? 0 : random.unit()};
}

// What the processors could do at most, in queries a second.
double capacity(std::span<const SimulatedQuery> queries, const SimulationOptions& options) {
  return 1e6 * static_cast<double>(queries.size()) /
         fluid_bound_us(queries, options.queues.workers, options.queues.streams > 0);
}

// Poisson arrivals, of which some come in bursts at one time.
std::vector<Arrival> bursts(std::vector<Arrival> arrivals, Random& random) {
  for (std::size_t i = 0; i < arrivals.size();) {
    const std::size_t end = std::min(arrivals.size(), i + 1 + (random.below(4) == 0 ? random.below(100) : 0));
    for (std::size_t j = i; j < end; ++j) arrivals[j].at_us = arrivals[i].at_us;
    i = end;
  }
  return arrivals;
}

TEST(QueriesInQueues, AreNeverLostAndNeverAnsweredTwice) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto options = random_options(random);
    auto queries = synthetic_queries(100, random_workload(random), seed);
    for (auto& query : queries) query.client = {random.below(5)};
    const double rate = capacity(queries, options) * (0.1 + 2 * random.unit());
    const auto arrivals = bursts(poisson_arrivals(400, rate, queries.size(), seed + 1), random);
    const auto result = simulate(queries, arrivals, options);  // fails itself if one is answered twice or left waiting
    ASSERT_EQ(result.answered + result.refused + result.dropped, arrivals.size());
    for (const SimulatedEnd& end : result.ends) ASSERT_NE(end.how, SimulatedEnd::How::kNone);
    ASSERT_EQ(result.queues.refused_full + result.queues.refused_late, result.refused);
  }
}

void draw(QueryJob& job, Random& random, Instant now) {
  job.cpu_us = std::exp(random.unit() * 8);
  job.gpu_us = std::exp(random.unit() * 4);
  job.deadline = Deadline::at(now + microseconds(random.below(20'000)));
  job.for_gpu = random.below(5) != 0;
  job.for_cpu = !job.for_gpu || random.below(5) != 0;
}

// `job` left the queues for the processor of `own`: whether that was allowed, with what still waits.
void take_out(std::set<QueryJob*>& waiting, QueryJob* job, QueryJob::Queue own) {
  const auto waits_in = [&](QueryJob::Queue queue) {
    return std::any_of(waiting.begin(), waiting.end(), [&](const QueryJob* one) { return one->queue == queue; });
  };
  ASSERT_EQ(waiting.erase(job), 1u);
  if (job->taken_as == QueryJob::TakenAs::kOwn) {
    ASSERT_EQ(job->queue, own);
  }
  if (job->taken_as == QueryJob::TakenAs::kEither) {
    ASSERT_FALSE(waits_in(own));
  }
  if (job->taken_as != QueryJob::TakenAs::kStolen) return;
  ASSERT_FALSE(waits_in(own));
  ASSERT_TRUE(job->for_cpu && job->for_gpu);
  if (own == QueryJob::Queue::kCpu) {
    ASSERT_FALSE(waits_in(QueryJob::Queue::kEither));
  }
}

// Random operations: what is stolen, urgent, taken out and dropped, against a plain record of what waits.
TEST(QueriesInQueues, AreStolenOnlyByAnIdleProcessor) {
  std::uint64_t stolen = 0, urgent = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    QueryQueues queues({.workers = 1 + random.below(4),
                        .streams = 1 + random.below(3),
                        .max_waiting = 64,
                        .max_batch = 1 + random.below(16),
                        .max_batch_work = microseconds(500)});
    std::deque<QueryJob> jobs(500);
    std::set<QueryJob*> waiting;
    std::vector<QueryJob*> running;
    std::vector<std::uint32_t> streams;
    std::size_t added = 0;
    Instant now(std::chrono::seconds(1));
    const auto check_taken = [&](QueryJob* job, QueryJob::Queue own) {
      take_out(waiting, job, own);
      stolen += job->taken_as == QueryJob::TakenAs::kStolen;
    };
    for (int step = 0; step < 2000; ++step) {
      now += microseconds(random.below(100));
      switch (random.below(5)) {
        case 0:
        case 1: {
          if (added == jobs.size()) break;
          QueryJob& job = jobs[added++];
          draw(job, random, now);
          if (queues.add(job, now).admitted == QueryQueues::Admitted::kYes) waiting.insert(&job);
          break;
        }
        case 2:
          if (auto* job = running.empty() && queues.wanted(now).cpu ? queues.next_for_cpu(now) : nullptr) {
            while (auto* dropped = queues.next_dropped()) ASSERT_EQ(waiting.erase(dropped), 1u);
            check_taken(job, QueryJob::Queue::kCpu);
            urgent += job->taken_as == QueryJob::TakenAs::kUrgent;
            running.push_back(job);
          }
          break;
        case 3: {
          std::vector<QueryJob*> batch(16);
          const auto taken = queues.next_batch(batch, now);
          while (auto* dropped = queues.next_dropped()) ASSERT_EQ(waiting.erase(dropped), 1u);
          if (taken.jobs == 0) break;
          streams.push_back(taken.stream);
          // The batch's own jobs were taken before others; the order of a batch does not show it.
          for (std::size_t i = 0; i < taken.jobs; ++i)
            if (batch[i]->queue == QueryJob::Queue::kGpu) check_taken(batch[i], QueryJob::Queue::kGpu);
          for (std::size_t i = 0; i < taken.jobs; ++i)
            if (batch[i]->queue != QueryJob::Queue::kGpu) check_taken(batch[i], QueryJob::Queue::kGpu);
          break;
        }
        default:
          if (!running.empty() && random.below(2) == 0) {
            queues.cpu_done(*running.back());
            running.pop_back();
          } else if (!streams.empty()) {
            queues.batch_done(streams.back(), now);
            streams.pop_back();
          } else if (!waiting.empty() && random.below(10) == 0) {
            ASSERT_TRUE(queues.remove(**waiting.begin()));
            waiting.erase(waiting.begin());
          }
      }
      while (auto* dropped = queues.next_dropped()) ASSERT_EQ(waiting.erase(dropped), 1u);
      ASSERT_EQ(queues.waiting(), waiting.size());
    }
  }
  EXPECT_GT(stolen, 200u);
  EXPECT_GT(urgent, 500u);
}

// All at once and without deadlines: how long until the last is done, against the time if work could be cut at will.
TEST(QueriesInQueues, AreDoneSoonAfterWhatIsPossible) {
  double sum = 0, worst = 0;
  int count = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    auto options = random_options(random);
    options.queues.max_waiting = 4096;
    options.deadline_us = 1e9;
    auto workload = random_workload(random);
    workload.error = 0.22;
    workload.bias = 1;
    const auto queries = synthetic_queries(1000, workload, seed);
    std::vector<Arrival> arrivals(queries.size());
    for (std::uint32_t i = 0; i < arrivals.size(); ++i) arrivals[i].query = i;
    const auto result = simulate(queries, arrivals, options);
    ASSERT_EQ(result.answered, queries.size());
    // No less than the fluid bound, nor than the longest query where it takes the least.
    auto with_launch = queries;
    if (options.queues.streams == 1)  // nothing hides launches
      for (auto& query : with_launch) query.gpu_us += options.launch_us / static_cast<double>(options.queues.max_batch);
    double bound = fluid_bound_us(with_launch, options.queues.workers, options.queues.streams > 0);
    for (const auto& query : queries) {
      const double on_cpu = options.queues.workers > 0 ? query.cpu_us : 1e18;
      const double on_gpu =
          options.queues.streams > 0 && (query.for_gpu || options.queues.workers == 0) ? query.gpu_us : 1e18;
      bound = std::max(bound, std::min(on_cpu, on_gpu));
    }
    const double ratio = result.end_us / (bound + options.launch_us);
    ASSERT_GE(result.end_us, bound * 0.999);
    sum += ratio;
    worst = std::max(worst, ratio);
    ++count;
  }
  RecordProperty("mean_ratio", std::to_string(sum / count));
  std::printf("makespan by the lower bound: mean %.3f, worst %.3f\n", sum / count, worst);
  EXPECT_LT(sum / count, 1.3);
  EXPECT_LT(worst, 4);
}

// The CPU alone, all at once: the mean delay against the bound of Eastman, Even and Isaacs (1964), which no order of
// the jobs on equal workers can be below.
TEST(QueriesInQueues, WaitHardlyLongerThanInTheBestOrder) {
  double worst = 0, sum = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    SimulationOptions options;
    options.queues.workers = 1 + random.below(16);
    options.queues.max_waiting = 4096;
    options.queues.max_age = std::chrono::hours(1);
    options.deadline_us = 1e9;
    const auto queries = synthetic_queries(200, {.cpu_median_us = 300, .error = 0}, seed);
    std::vector<Arrival> arrivals(queries.size());
    for (std::uint32_t i = 0; i < arrivals.size(); ++i) arrivals[i].query = i;
    const auto result = simulate(queries, arrivals, options);
    ASSERT_EQ(result.answered, queries.size());
    std::vector<double> costs;
    costs.reserve(queries.size());
    for (const auto& query : queries) costs.push_back(query.cpu_us);
    std::sort(costs.begin(), costs.end());
    double ends = 0, end = 0, all = 0;  // one worker, the lightest first
    for (const double cost : costs) {
      end += cost;
      ends += end;
      all += cost;
    }
    const double workers = options.queues.workers;
    const double bound = (ends / workers + all * (workers - 1) / (2 * workers)) / static_cast<double>(costs.size());
    ASSERT_GE(result.mean_us, bound * 0.999);
    worst = std::max(worst, result.mean_us / bound);
    sum += result.mean_us / bound / 300;
  }
  std::printf("mean delay by the lower bound: mean %.3f, worst %.3f\n", sum, worst);
  EXPECT_LT(worst, 1.4);
}

// Load well below the capacity, queries short against their deadline, predictions as good as trained: none is late.
TEST(QueriesInQueues, MeetTheirDeadlinesWhereThatIsFeasible) {
  int failed = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    auto options = random_options(random);
    options.queues.max_waiting = 4096;
    auto workload = random_workload(random);
    workload.bias = 1;
    workload.error = 0.22;
    const auto queries = synthetic_queries(200, workload, seed);
    double longest = 0;
    for (const auto& query : queries)
      longest = std::max(longest, options.queues.workers > 0 ? query.cpu_us : query.gpu_us);
    options.deadline_us = 10 * (longest + options.launch_us);
    // A batch a launch: the GPU counts only beside that.
    const double rate = 0.5 * capacity(queries, options);
    const auto result = simulate(queries, poisson_arrivals(2000, rate, queries.size(), seed), options);
    failed += result.failed();
    EXPECT_FALSE(result.failed()) << result.refused << " refused, " << result.dropped << " dropped, " << result.late
                                  << " late; longest " << longest;
  }
  EXPECT_EQ(failed, 0);
}

// Costs predicted wrongly by up to five times each way, one by one and all together, and bursts.
TEST(QueriesInQueues, MeetTheirDeadlinesThoughPredictionsAreWrong) {
  for (const double bias : {0.2, 1.0, 5.0})
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      SCOPED_TRACE(testing::Message() << "bias " << bias << ", seed " << seed);
      Random random(seed);
      SimulationOptions options;
      options.queues.workers = 8;
      options.queues.streams = 3;
      options.deadline_us = 50'000;
      auto queries = synthetic_queries(500, {.cpu_median_us = 300, .cpu_spread = 1, .bias = bias}, seed);
      for (auto& query : queries) {
        query.predicted_cpu_us = query.cpu_us * bias * std::exp((random.unit() * 2 - 1) * std::log(5));
        query.predicted_gpu_us = query.gpu_us * bias * std::exp((random.unit() * 2 - 1) * std::log(5));
      }
      const double rate = 0.3 * capacity(queries, options);
      const auto result =
          simulate(queries, bursts(poisson_arrivals(3000, rate, queries.size(), seed), random), options);
      EXPECT_FALSE(result.failed()) << result.refused << " refused, " << result.dropped << " dropped, " << result.late
                                    << " late";
    }
}

// One query in 200 takes 200 times as long on the CPU as predicted: what waits behind it goes to the GPU.
TEST(QueriesInQueues, DoNotWaitBehindThoseThatTakeFarLongerThanPredicted) {
  double with = 0, without = 0;
  std::uint64_t overrun = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    SimulationOptions options;
    options.queues.workers = 1 + random.below(4);
    options.queues.streams = 2;
    options.deadline_us = 1e6;
    // Light queries suit the CPU; the GPU takes three times as long, with its launch.
    auto queries = synthetic_queries(1000, {.cpu_median_us = 40, .cpu_spread = 0.3, .gpu_median_us = 80}, seed);
    for (std::size_t i = 0; i < queries.size(); i += 200) queries[i].cpu_us *= 200;
    const auto arrivals = poisson_arrivals(5000, 0.5 * options.queues.workers * 1e6 / 80, queries.size(), seed);
    for (const bool follow : {false, true}) {
      options.queues.follow_overruns = follow;
      const auto result =
          simulate(queries, arrivals, options);  // fails itself if one is answered twice or left waiting
      ASSERT_EQ(result.answered, arrivals.size());
      (follow ? with : without) += result.p99_us;
      overrun += result.queues.overrun;
      if (!follow) {
        EXPECT_EQ(result.queues.overrun, 0u);
      }
    }
  }
  std::printf("p99 with late workers: %.0f us, without looking at them %.0f us; %llu went to the GPU\n", with / 50,
              without / 50, static_cast<unsigned long long>(overrun));
  EXPECT_LT(with, without);
  EXPECT_GT(overrun, 50u);
}

TEST(QueriesInQueues, DoNotStarve) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    SimulationOptions options;
    options.queues.workers = 2;
    options.deadline_us = 10e6;
    // One query in a thousand takes 20 ms, the others 100 us. The load is 90 %.
    std::vector<SimulatedQuery> queries(1000, {100, 1e5, 100, 1e5});
    queries[0] = {20'000, 1e6, 20'000, 1e6};
    const auto result =
        simulate(queries, poisson_arrivals(50'000, 0.9 * capacity(queries, options), 1000, seed), options);
    ASSERT_FALSE(result.failed());
    EXPECT_LT(result.max_us, 1'000'000 + 4 * 20'000);  // max_age, and what is urgent at the same time
    EXPECT_LT(result.median_us, 10'000);
  }
}

TEST(QueriesInQueues, OfASingleSearchDoNotWaitForAHundredLines) {
  SimulationOptions options;
  options.queues.workers = 2;
  options.deadline_us = 5e6;
  // Client 1 sends 500 lines at a time, a fifth of the load; client 0 single searches, a third of it.
  std::vector<SimulatedQuery> queries(2, {1000, 1e6, 1000, 1e6});
  queries[1].client = {1};
  std::vector<Arrival> arrivals = poisson_arrivals(20'000, 600, 1, 1);
  const double until = arrivals.back().at_us;
  for (double at = 1e5; at < until; at += 500 * 1e6 / 400)
    for (int i = 0; i < 500; ++i) arrivals.push_back({at, 1});
  std::stable_sort(arrivals.begin(), arrivals.end(), [](const auto& a, const auto& b) { return a.at_us < b.at_us; });
  const auto result = simulate(queries, arrivals, options);
  ASSERT_FALSE(result.failed());
  std::vector<double> single;
  for (std::size_t i = 0; i < arrivals.size(); ++i)
    if (arrivals[i].query == 0) single.push_back(result.ends[i].end_us - arrivals[i].at_us);
  std::sort(single.begin(), single.end());
  EXPECT_LT(single[single.size() * 99 / 100], 30'000);  // a burst of lines takes 250 ms
}

}  // namespace
}  // namespace frond::leaf::schedule
