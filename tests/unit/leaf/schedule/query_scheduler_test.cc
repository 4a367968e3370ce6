// The promises of query_scheduler.h, with a GPU that the test holds up.
#include "leaf/schedule/query_scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include "leaf/schedule/worker_pool.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/inline_scheduler.h"

namespace frond::leaf::schedule {
namespace {

// Answers a plan with its k as the matches. A closed one keeps its callers until it is opened.
class TestGpu {
 public:
  explicit TestGpu(bool open) : open_(open) {}
  QueryScheduler::Gpu gpu() {
    return {[this](std::span<const engine::Plan> plans, engine::BatchTimes& times) { return search(plans, times); },
            [this] { return lost.load(); }};
  }
  void wait_for_batches(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sizes_.size() >= count; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  std::vector<std::size_t> sizes() {
    const std::lock_guard lock(mutex_);
    return sizes_;
  }
  std::atomic<bool> lost{false}, out_of_memory{false}, leaves{false};

 private:
  std::vector<GpuAnswer> search(std::span<const engine::Plan> plans, engine::BatchTimes& times) {
    std::unique_lock lock(mutex_);
    sizes_.push_back(plans.size());
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    if (out_of_memory) throw std::bad_alloc();
    std::vector<GpuAnswer> answers(plans.size());
    if (lost || leaves) return answers;
    times.kernel_us = 7;
    for (std::size_t i = 0; i < times.had_lists.size(); ++i) times.had_lists[i] = plans[i].k % 10 != 2;
    for (std::size_t i = 0; i < plans.size(); ++i) answers[i] = engine::Outcome{.hits = {}, .matches = plans[i].k};
    return answers;
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_;
  std::vector<std::size_t> sizes_;
};

class TestQuery final : public Query {
 public:
  TestQuery(QueryScheduler*& scheduler, std::uint32_t number, std::uint32_t plan_count, bool cpu, bool gpu)
      : scheduler_(scheduler), number_(number) {
    for (std::uint32_t i = 0; i < plan_count; ++i) plans.emplace_back().k = 10 * number + i;
    for_cpu = cpu;
    for_gpu = gpu;
    QueryFeatures features{.documents = 1'000'000};
    features.add_list(100 + 1000 * (number % 50), 10);
    costs = scheduler->predict(features);
  }
  void search_on_cpu() override {
    ++on_cpu;
    if (out_of_memory) throw std::bad_alloc();
    scheduler_->cpu_done(*this, std::chrono::microseconds(20));
  }
  void take_answers(std::vector<GpuAnswer> answers) override {
    ++on_gpu;
    for (std::uint32_t i = 0; i < answers.size(); ++i) {
      if (!answers[i]) {
        ++unanswered;
        continue;
      }
      EXPECT_EQ((*answers[i])->matches, 10 * number_ + i);
    }
  }
  void drop() override { ++dropped; }
  int ends() const { return on_cpu + on_gpu + dropped; }
  std::atomic<int> on_cpu{0}, on_gpu{0}, dropped{0}, unanswered{0};
  std::atomic<bool> out_of_memory{false};

 private:
  QueryScheduler*& scheduler_;
  const std::uint32_t number_;
};

struct Leaf {
  explicit Leaf(TestGpu& of, const QueryScheduler::Options& options = {}, metrics::Registry* registry = nullptr)
      : queries(options, of.gpu(), pool, clock, registry) {}
  ~Leaf() { drain(); }
  void drain() {
    pool.drain();
    queries.drain();
    pool.drain();
  }
  std::shared_ptr<TestQuery> query(std::uint32_t number, std::uint32_t plans, bool cpu, bool gpu) {
    return std::make_shared<TestQuery>(scheduler, number, plans, cpu, gpu);
  }
  // As a task of the pool, as leaves do.
  void submit(const std::shared_ptr<TestQuery>& query) {
    ASSERT_TRUE(
        pool.submit_one({Deadline::never(), [this, query](const auto&) { queries.submit(query); }, 0}, Lane::kSearch));
  }
  const SteadyClock clock;
  WorkerPool pool{{3, 100'000}, clock, nullptr};
  QueryScheduler queries;
  QueryScheduler* scheduler = &queries;
};

TEST(QueryScheduler, RunsEveryQueryOnceOnAProcessorThatMayRunIt) {
  TestGpu gpu(true);
  std::vector<std::shared_ptr<TestQuery>> queries;
  {
    Leaf leaf(gpu, {.cpu_workers = 3, .max_waiting = 10'000, .max_batch = 16});
    for (std::uint32_t i = 0; i < 600; ++i) {
      queries.push_back(leaf.query(i, 1 + i % 3, i % 4 != 0, i % 4 != 1));
      leaf.submit(queries.back());
    }
    leaf.drain();
  }
  for (std::uint32_t i = 0; i < queries.size(); ++i) {
    EXPECT_EQ(queries[i]->ends(), 1) << i;
    EXPECT_EQ(queries[i]->on_gpu, i % 4 == 0 ? 1 : i % 4 == 1 ? 0 : queries[i]->on_gpu.load()) << i;
  }
}

TEST(QueryScheduler, CollectsWhatComesWhileABatchRuns) {
  TestGpu gpu(false);
  Leaf leaf(gpu, {.gpu_batches = 1});
  std::vector<std::shared_ptr<TestQuery>> queries;
  for (std::uint32_t i = 0; i < 10; ++i) {
    queries.push_back(leaf.query(i, 2, false, true));
    leaf.submit(queries.back());
    if (i == 0) gpu.wait_for_batches(1);
  }
  while (leaf.queries.state().waiting[1] < 9) std::this_thread::yield();
  gpu.open();
  leaf.drain();
  for (const auto& query : queries) EXPECT_EQ(query->on_gpu, 1);
  EXPECT_EQ(gpu.sizes(), (std::vector<std::size_t>{2, 18})) << "plans";
}

TEST(QueryScheduler, TellsQueriesThatAskHowTheyRan) {
  TestGpu gpu(false);
  QueryRun runs[4];
  {
    Leaf leaf(gpu, {.gpu_batches = 1});
    leaf.submit(leaf.query(0, 1, false, true));
    gpu.wait_for_batches(1);
    const std::uint32_t plans[] = {2, 3, 1};  // the second one has a plan whose lists are not there
    for (std::uint32_t i = 0; i < 3; ++i) {
      const auto query = leaf.query(i + 1, plans[i], false, true);
      query->ran = &runs[i];
      leaf.submit(query);
    }
    while (leaf.queries.state().waiting[1] < 3) std::this_thread::yield();
    const auto on_cpu = leaf.query(5, 1, true, false);
    on_cpu->ran = &runs[3];
    leaf.submit(on_cpu);
    gpu.open();
    leaf.drain();
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(runs[i].batch_queries, 3u) << i;
    EXPECT_EQ(runs[i].batch_plans, 6u) << i;
    EXPECT_EQ(runs[i].times.kernel_us, 7) << i;
    EXPECT_EQ(runs[i].had_lists, i != 1) << i;
    EXPECT_GT(runs[i].taken, Instant::min()) << i;
  }
  EXPECT_EQ(runs[3].batch_queries, 0u);
  EXPECT_GT(runs[3].taken, Instant::min());
}

TEST(QueryScheduler, GivesQueriesBackThatTheGpuDoesNotAnswer) {
  for (const bool throws : {false, true}) {
    TestGpu gpu(true);
    gpu.out_of_memory = throws;
    gpu.leaves = !throws;
    Leaf leaf(gpu);
    const auto query = leaf.query(1, 3, false, true);
    leaf.submit(query);
    leaf.drain();
    EXPECT_EQ(query->on_gpu, 1);
    EXPECT_EQ(query->unanswered, 3);
  }
}

TEST(QueryScheduler, RunsAllOnTheCpuOnceTheGpuIsLost) {
  TestGpu gpu(true);
  gpu.lost = true;
  Leaf leaf(gpu);
  const auto first = leaf.query(1, 1, true, true), forced = leaf.query(2, 1, false, true);
  leaf.submit(forced);
  leaf.drain();
  EXPECT_EQ(forced->unanswered, 1);
  TestGpu lost(true);
  Leaf other(lost);
  lost.lost = true;
  for (int i = 0; i < 3; ++i) {
    const auto one = other.query(2, 1, i != 0, true);
    other.submit(one);
    while (one->ends() == 0) std::this_thread::yield();
    EXPECT_EQ(one->on_cpu, i == 0 ? 0 : 1);
  }
}

TEST(QueryScheduler, RefusesWhatWouldWaitBeyondItsBoundAndAfterItsDrain) {
  using Admitted = QueryScheduler::Admitted;
  TestGpu gpu(false);
  metrics::Registry registry("test");
  Leaf leaf(gpu, {.gpu_batches = 1, .max_waiting = 3}, &registry);
  const auto submit = [&](const std::shared_ptr<TestQuery>& query) { return leaf.queries.submit(query); };
  ASSERT_EQ(submit(leaf.query(1, 1, false, true)), Admitted::kYes);
  gpu.wait_for_batches(1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(submit(leaf.query(1, 1, false, true)), Admitted::kYes);
  EXPECT_EQ(submit(leaf.query(1, 1, false, true)), Admitted::kFull);
  EXPECT_NE(registry.exposition().find("frond_leaf_schedule_queries{queue=\"gpu\"} 3"), std::string::npos);
  gpu.open();
  leaf.drain();
  EXPECT_EQ(submit(leaf.query(1, 1, false, true)), Admitted::kClosed);
  EXPECT_NE(registry.exposition().find("frond_leaf_schedule_refused_total{reason=\"full\"} 1"), std::string::npos);
}

TEST(QueryScheduler, DropsWhatIsCancelledWhileItWaits) {
  TestGpu gpu(false);
  Leaf leaf(gpu, {.gpu_batches = 1});
  leaf.submit(leaf.query(1, 1, false, true));
  gpu.wait_for_batches(1);
  Cancellation cancellation;
  const auto query = leaf.query(2, 1, false, true);
  query->deadline = Deadline::never().or_when(cancellation);
  ASSERT_EQ(leaf.queries.submit(query), QueryScheduler::Admitted::kYes);
  cancellation.cancel();
  gpu.open();
  leaf.drain();
  EXPECT_EQ(query->dropped, 1);
  EXPECT_EQ(query->on_gpu, 0);
}

TEST(QueryScheduler, RefusesWhatWouldBeLate) {
  TestGpu gpu(false);
  Leaf leaf(gpu, {.gpu_batches = 1});
  leaf.submit(leaf.query(1, 1, false, true));
  gpu.wait_for_batches(1);
  const auto late = leaf.query(2, 1, false, true);
  late->deadline = Deadline::after(leaf.clock, std::chrono::microseconds(1));
  EXPECT_EQ(leaf.queries.submit(late), QueryScheduler::Admitted::kTooLate);
  gpu.open();
}

// Keeps tasks until the test runs them.
class HeldPool final : public Scheduler {
 public:
  Result<void> admit(std::span<Task> tasks, Lane) override {
    if (out_of_memory) throw std::bad_alloc();
    for (Task& task : tasks) tasks_.push_back(std::move(task));
    return {};
  }
  void drain() override {}
  Load load() const override { return {.waiting = 1, .limit = 100, .workers = 2, .running = 0}; }
  bool runs_caller() const override { return false; }
  // False: there is none.
  bool run_one() {
    if (tasks_.empty()) return false;
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    task.run(std::chrono::microseconds(0));
    return true;
  }
  bool out_of_memory = false;

 private:
  std::deque<Task> tasks_;
};

class QuerySchedulerWithoutMemory : public testing::Test {
 protected:
  std::shared_ptr<TestQuery> submit(std::uint32_t number) {
    auto query = std::make_shared<TestQuery>(scheduler_, number, 1, true, false);
    EXPECT_EQ(queries_.submit(query), QueryScheduler::Admitted::kYes);
    return query;
  }
  void run_all() {
    while (pool_.run_one()) {
    }
  }
  TestGpu gpu_{true};
  const support::ManualClock clock_{};
  HeldPool pool_;
  QueryScheduler queries_{{.cpu_workers = 2}, gpu_.gpu(), pool_, clock_, nullptr};
  QueryScheduler* scheduler_ = &queries_;
};

TEST_F(QuerySchedulerWithoutMemory, RunsWhatItTookAlthoughItCannotAskForTheNext) {
  const auto one = submit(1), other = submit(2), last = submit(3);
  pool_.out_of_memory = true;
  pool_.run_one();
  pool_.out_of_memory = false;
  EXPECT_EQ(one->on_cpu + other->on_cpu + last->on_cpu, 1);
  const auto next = submit(4);
  run_all();
  for (const auto& query : {one, other, last, next}) EXPECT_EQ(query->on_cpu, 1);
}

TEST_F(QuerySchedulerWithoutMemory, AsksAgainForATaskThatThePoolDidNotTake) {
  pool_.out_of_memory = true;
  const auto one = submit(1);
  pool_.out_of_memory = false;
  const auto other = submit(2);
  run_all();
  EXPECT_EQ(one->on_cpu, 1);
  EXPECT_EQ(other->on_cpu, 1);
}

TEST_F(QuerySchedulerWithoutMemory, GivesTheWorkerBackOfASearchThatThrew) {
  for (std::uint32_t number = 1; number <= 2; ++number) submit(number)->out_of_memory = true;
  run_all();
  const auto next = submit(3);
  run_all();
  EXPECT_EQ(next->on_cpu, 1);
}

TEST(QueryScheduler, SearchesOnTheCallersThreadWhatIsForTheCpu) {
  TestGpu gpu(true);
  const support::ManualClock clock;
  support::InlineScheduler pool(clock);
  QueryScheduler queries({}, gpu.gpu(), pool, clock, nullptr);
  QueryScheduler* scheduler = &queries;
  const auto query = std::make_shared<TestQuery>(scheduler, 1, 1, true, false);
  ASSERT_EQ(queries.submit(query), QueryScheduler::Admitted::kYes);
  EXPECT_EQ(query->on_cpu, 1);
}

}  // namespace
}  // namespace frond::leaf::schedule
