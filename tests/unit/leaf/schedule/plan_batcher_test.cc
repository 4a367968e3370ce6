// The promises of plan_batcher.h, with a processor that the test holds up.
#include "leaf/schedule/plan_batcher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <new>
#include <numeric>

#include "leaf/schedule/worker_pool.h"
#include "tests/support/memory/failing_allocations.h"

namespace frond::leaf::schedule {
namespace {

engine::Plan plan_number(std::uint32_t number) {
  engine::Plan plan;
  plan.k = number;
  return plan;
}

// Submits one plan, whose answer a thread of the batcher gives.
bool submit_plan(PlanBatcher& batcher, engine::Plan plan, std::function<void(PlanBatcher::Answer)> done) {
  std::vector<engine::Plan> plans;
  plans.push_back(std::move(plan));
  return batcher.submit(
      plans,
      [done = std::move(done)](std::vector<PlanBatcher::Answer> answers) {
        ASSERT_EQ(answers.size(), 1u);
        done(std::move(answers[0]));
      },
      nullptr);
}

// Answers a plan with its own number as the matches. A closed one keeps its callers until it is opened.
class Processor {
 public:
  explicit Processor(bool open) : open_(open) {}
  std::vector<PlanBatcher::Answer> search(std::span<const engine::Plan> plans) {
    std::unique_lock lock(mutex_);
    sizes_.push_back(plans.size());
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    std::vector<PlanBatcher::Answer> answers;
    for (const engine::Plan& plan : plans) answers.emplace_back(engine::Outcome{.hits = {}, .matches = plan.k});
    return answers;
  }
  PlanBatcher::Search search() {
    return [this](std::span<const engine::Plan> plans) { return search(plans); };
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

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_;
  std::vector<std::size_t> sizes_;
};

TEST(PlanBatcher, GivesEveryPlanItsOwnAnswerOnce) {
  Processor processor(true);
  std::vector<std::atomic<int>> answers(400);
  {
    PlanBatcher batcher({.threads = 3, .max_batch = 7}, processor.search(), nullptr);
    std::vector<std::jthread> callers;
    for (std::uint32_t c = 0; c < 4; ++c)
      callers.emplace_back([&, c] {
        for (std::uint32_t i = c; i < answers.size(); i += 4)
          ASSERT_TRUE(submit_plan(batcher, plan_number(i), [&answers, i](PlanBatcher::Answer answer) {
            if (answer && *answer && (**answer).matches == i) ++answers[i];
          }));
      });
    callers.clear();
    batcher.drain();
  }
  for (const auto& count : answers) EXPECT_EQ(count, 1);
  for (const std::size_t size : processor.sizes()) EXPECT_LE(size, 7u);
}

TEST(PlanBatcher, AnswersAQuerysPlansTogetherOnTheThreadsOfItsScheduler) {
  const SteadyClock clock;
  Processor processor(false);
  WorkerPool pool({2, 100}, clock, nullptr);
  PlanBatcher batcher({.threads = 1, .max_batch = 8}, processor.search(), nullptr);
  std::atomic<int> answered{0};
  for (std::uint32_t i = 0; i < 20; ++i) {
    std::vector<engine::Plan> plans;
    for (std::uint32_t part = 0; part <= i % 3; ++part) plans.push_back(plan_number(10 * i + part));
    ASSERT_TRUE(batcher.submit(
        plans,
        [&, i](const std::vector<PlanBatcher::Answer>& answers) {
          EXPECT_TRUE(pool.runs_caller());
          ASSERT_EQ(answers.size(), i % 3 + 1);
          for (std::uint32_t part = 0; part < answers.size(); ++part)
            EXPECT_EQ((*answers[part])->matches, 10 * i + part);
          ++answered;
        },
        &pool));
    EXPECT_TRUE(plans.empty());
  }
  processor.open();
  batcher.drain();
  pool.drain();
  EXPECT_EQ(answered, 20);
  for (const std::size_t size : processor.sizes()) EXPECT_LE(size, 8u);
}

TEST(PlanBatcher, RunsAPlanAloneAtOnceAndCollectsWhatComesMeanwhile) {
  Processor processor(false);
  PlanBatcher batcher({.threads = 1, .window = std::chrono::hours(1)}, processor.search(), nullptr);
  std::atomic<int> answered{0};
  const auto submit = [&] {
    return submit_plan(batcher, plan_number(1), [&](const PlanBatcher::Answer&) { ++answered; });
  };
  ASSERT_TRUE(submit());
  processor.wait_for_batches(1);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(submit());
  processor.open();
  batcher.drain();
  EXPECT_EQ(answered, 21);
  EXPECT_EQ(processor.sizes(), (std::vector<std::size_t>{1, 20}));
}

TEST(PlanBatcher, StartsASecondBatchWhenTheWindowEnds) {
  Processor processor(false);
  PlanBatcher batcher({.threads = 2, .window = std::chrono::milliseconds(1)}, processor.search(), nullptr);
  const auto nothing = [](const PlanBatcher::Answer&) {};
  ASSERT_TRUE(submit_plan(batcher, plan_number(1), nothing));
  processor.wait_for_batches(1);
  ASSERT_TRUE(submit_plan(batcher, plan_number(2), nothing));
  processor.wait_for_batches(2);  // though the first has not come back
  processor.open();
}

TEST(PlanBatcher, StartsAFullBatchWithoutWaitingForItsWindow) {
  Processor processor(false);
  PlanBatcher batcher({.threads = 2, .max_batch = 2, .window = std::chrono::hours(1)}, processor.search(), nullptr);
  const auto nothing = [](const PlanBatcher::Answer&) {};
  ASSERT_TRUE(submit_plan(batcher, plan_number(1), nothing));
  processor.wait_for_batches(1);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(submit_plan(batcher, plan_number(2), nothing));
  processor.wait_for_batches(2);
  processor.open();
}

TEST(PlanBatcher, RefusesWhatWouldWaitBeyondItsBound) {
  Processor processor(false);
  metrics::Registry registry("test");
  PlanBatcher batcher({.threads = 1, .max_waiting = 3}, processor.search(), &registry);
  std::atomic<int> answered{0};
  const auto submit = [&] {
    return submit_plan(batcher, plan_number(1), [&](const PlanBatcher::Answer&) { ++answered; });
  };
  ASSERT_TRUE(submit());
  processor.wait_for_batches(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(submit());
  EXPECT_FALSE(submit());
  processor.open();
  batcher.drain();
  EXPECT_EQ(answered, 4);
  EXPECT_FALSE(submit());  // drained
  EXPECT_NE(registry.exposition().find("frond_leaf_gpu_plans_refused_total 2"), std::string::npos);
}

TEST(PlanBatcher, HandsPlansBackThatTheProcessorDoesNotAnswer) {
  int called = 0;
  PlanBatcher batcher(
      {.threads = 1},
      [&](std::span<const engine::Plan> plans) -> std::vector<PlanBatcher::Answer> {
        if (++called == 1) throw std::bad_alloc();
        return std::vector<PlanBatcher::Answer>(plans.size());
      },
      nullptr);
  for (int i = 0; i < 2; ++i) {
    std::latch done{1};
    bool empty = false;
    ASSERT_TRUE(submit_plan(batcher, plan_number(1), [&](const PlanBatcher::Answer& answer) {
      empty = !answer;
      done.count_down();
    }));
    done.wait();
    EXPECT_TRUE(empty);
  }
}

TEST(PlanBatcher, HandsAPlanBackThatItHasNoMemoryToTake) {
  if (!support::kAllocationsCanFail) GTEST_SKIP() << "memory can't be made to run out under this sanitizer";
  Processor processor(true);
  PlanBatcher batcher({.threads = 1}, processor.search(), nullptr);
  for (const bool fails : {false, true, false}) {
    std::latch done{1};
    bool answered = false;
    ASSERT_TRUE(submit_plan(batcher, plan_number(1), [&, fails](const PlanBatcher::Answer& answer) {
      answered = answer.has_value();
      support::fail_allocation(fails || !answered ? 0 : 1);  // the next that this thread of the batcher's makes
      done.count_down();
    }));
    done.wait();
    EXPECT_EQ(answered, !fails);
  }
}

TEST(PlanBatcher, GoesOnBehindACallerThatFailsToTakeItsAnswer) {
  Processor processor(false);
  PlanBatcher batcher({.threads = 1}, processor.search(), nullptr);
  std::atomic<int> answered{0};
  for (std::uint32_t i = 0; i < 6; ++i)
    ASSERT_TRUE(submit_plan(batcher, plan_number(i), [&answered, i](const PlanBatcher::Answer&) {
      if (i % 2 == 0) throw std::bad_alloc();
      ++answered;
    }));
  processor.open();
  batcher.drain();
  EXPECT_EQ(answered, 3);
}

}  // namespace
}  // namespace frond::leaf::schedule
