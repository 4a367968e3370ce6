// Simulated queues of tasks, first come first served: a task that would be refused by ServiceTimes would not have been
// answered in time.
#include "leaf/schedule/worker_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <functional>
#include <random>
#include <vector>

namespace frond::leaf::schedule {
namespace {

using Random = std::mt19937_64;
struct Waiting {
  double service = 0, deadline = 0;
};

// Times in nanoseconds. Tasks past their deadline when their turn comes take no time.
class Queue {
 public:
  explicit Queue(std::size_t workers) : free_at_(workers, 0) {}
  // Runs what begins before `now`.
  void advance(double now, ServiceTimes& times) {
    while (!waiting_.empty()) {
      double& worker = *std::min_element(free_at_.begin(), free_at_.end());
      const double start = std::max(worker, last_arrival_);
      if (start > now) break;
      const Waiting task = waiting_.front();
      waiting_.pop_front();
      const double took = start > task.deadline ? 0 : task.service;
      worker = start + took;
      times.observe(static_cast<std::int64_t>(took));
    }
    last_arrival_ = now;
  }
  // When a task that comes now would end.
  double end_of(double now, const Waiting& task) const {
    std::vector<double> free_at = free_at_;
    double start = now;
    for (std::size_t i = 0; i <= waiting_.size(); ++i) {
      double& worker = *std::min_element(free_at.begin(), free_at.end());
      start = std::max(worker, now);
      const Waiting& next = i == waiting_.size() ? task : waiting_[i];
      worker = start + (start > next.deadline ? 0 : next.service);
    }
    return start + task.service;
  }
  void add(const Waiting& task) { waiting_.push_back(task); }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  std::vector<double> free_at_;
  std::deque<Waiting> waiting_;
  double last_arrival_ = 0;
};

struct Counts {
  std::uint64_t tasks = 0, refused = 0, wrongly = 0, late = 0;
};

// Poisson arrivals with a load that changes from time to time.
void simulate(std::uint64_t seed, Counts& counts) {
  Random random(seed);
  const auto unit = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
  const std::size_t workers = 1 + random() % 16;
  const double median = std::exp(std::log(2e4) + unit() * std::log(500)), spread = unit() * 1.2;
  const double share_of_heavy = random() % 2 == 0 ? 0 : unit() * 0.05;
  std::lognormal_distribution<double> light(std::log(median), spread);
  const auto service = [&] { return unit() < share_of_heavy ? 30 * light(random) : light(random); };
  double mean = 0;
  for (int i = 0; i < 1000; ++i) mean += service() / 1000;
  const double deadline = mean * static_cast<double>(1 + random() % 200);
  Queue queue(workers);
  ServiceTimes times;
  double now = 0, load = 1;
  for (int i = 0; i < 4000; ++i) {
    if (i % 500 == 0) load = 0.3 + 3 * unit();
    now += std::exponential_distribution<double>(load * static_cast<double>(workers) / mean)(random);
    queue.advance(now, times);
    const Waiting task{service(), now + deadline * (0.2 + 1.6 * unit())};
    ++counts.tasks;
    const bool in_time = queue.end_of(now, task) <= task.deadline;
    counts.late += !in_time;
    if (now + static_cast<double>(times.min_wait(queue.waiting(), workers)) > task.deadline) {
      ++counts.refused;
      counts.wrongly += in_time;
    } else {
      queue.add(task);
    }
  }
}

TEST(ServiceTimes, RefuseNothingThatWouldHaveBeenAnswered) {
  Counts counts;
  for (std::uint64_t seed = 0; seed < 100; ++seed) simulate(seed, counts);
  std::printf("%llu tasks: %llu would be late, %llu refused, %llu of these would have been answered\n",
              static_cast<unsigned long long>(counts.tasks), static_cast<unsigned long long>(counts.late),
              static_cast<unsigned long long>(counts.refused), static_cast<unsigned long long>(counts.wrongly));
  EXPECT_GT(counts.refused, counts.late / 5) << "else it is of no use";
  EXPECT_LE(counts.wrongly, counts.refused / 1000);
}

TEST(ServiceTimes, SayNothingOfAQueueThatIsShortOrNew) {
  ServiceTimes times;
  for (std::size_t i = 1; i < ServiceTimes::kMinTasks; ++i) times.observe(1'000'000);
  EXPECT_EQ(times.min_wait(1000, 2), 0);
  times.observe(1'000'000);
  EXPECT_EQ(times.min_wait(1000, 2), 999'000'000 / 2);  // no spread
  EXPECT_EQ(times.min_wait(1, 2), 0);
  EXPECT_EQ(times.min_wait(0, 1), 0);
}

TEST(ServiceTimes, FollowTasksThatBecomeShorter) {
  ServiceTimes times;
  for (int i = 0; i < 1000; ++i) times.observe(10'000'000);
  for (int i = 0; i < 500; ++i) times.observe(10'000);
  EXPECT_LT(times.mean_ns(), 300'000);
  EXPECT_LT(times.min_wait(100, 1), 100 * 300'000);
}

}  // namespace
}  // namespace frond::leaf::schedule
