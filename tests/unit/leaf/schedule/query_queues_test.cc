// What runs next and where, step by step. query_queues_properties_test.cc runs whole workloads.
#include "tests/unit/leaf/schedule/query_queues_fixture.h"

namespace frond::leaf::schedule {
namespace {

TEST_F(QueriesInQueues, WaitForTheProcessorThatIsMuchFaster) {
  auto queues = make();
  QueryJob &gpu = job(1000, 10), &cpu = job(10, 10), &either = job(61, 10);
  for (QueryJob* one : {&gpu, &cpu, &either}) EXPECT_EQ(queues.add(*one, now_).admitted, Admitted::kYes);
  EXPECT_EQ(gpu.queue, Queue::kGpu);
  EXPECT_EQ(cpu.queue, Queue::kCpu);
  EXPECT_EQ(either.queue, Queue::kEither);
  const auto state = queues.state(now_);
  EXPECT_EQ(state.waiting[0], 1u);
  EXPECT_EQ(state.waiting[1], 1u);
  EXPECT_EQ(state.waiting[2], 1u);
}

TEST_F(QueriesInQueues, RunOnTheOnlyProcessorThatMayRunThem) {
  auto queues = make();
  QueryJob &for_cpu = job(1000, 1), &for_gpu = job(1, 1000);
  for_cpu.for_gpu = false;
  for_gpu.for_cpu = false;
  queues.add(for_cpu, now_);
  queues.add(for_gpu, now_);
  EXPECT_EQ(batch(queues), std::vector{&for_gpu});
  EXPECT_EQ(queues.next_for_cpu(now_), &for_cpu);
  queues.batch_done(stream_, now_);
  queues.cpu_done(for_cpu);
  // Without a GPU the CPU answers what was for the GPU alone.
  auto without = make(1, 0);
  without.add(for_gpu, now_);
  EXPECT_FALSE(without.wanted(now_).gpu);
  EXPECT_EQ(without.next_for_cpu(now_), &for_gpu);
}

TEST_F(QueriesInQueues, AreTakenFromTheThirdQueueOldestFirstByAnIdleProcessor) {
  auto queues = make();
  QueryJob &own = cpu_job(100), &first = job(62, 10), &second = job(58, 10);
  queues.add(first, now_);
  queues.add(second, now_);
  queues.add(own, now_);
  ASSERT_EQ(first.queue, Queue::kEither);
  ASSERT_EQ(second.queue, Queue::kEither);
  EXPECT_EQ(queues.next_for_cpu(now_), &own);
  queues.cpu_done(own);
  EXPECT_EQ(queues.next_for_cpu(now_), &first);
  EXPECT_EQ(first.taken_as, TakenAs::kEither);
  EXPECT_EQ(batch(queues), std::vector{&second});
  EXPECT_EQ(second.taken_as, TakenAs::kEither);
}

TEST_F(QueriesInQueues, AreStolenByAnIdleProcessorIfThatEndsThemSooner) {
  auto queues = make();
  QueryJob &running = job(100'000, 900), &waiting = job(500, 20), &heavy = job(90'000, 20);
  queues.add(running, now_);
  ASSERT_EQ(batch(queues).size(), 1u);
  queues.add(waiting, now_);
  queues.add(heavy, now_);
  ASSERT_EQ(waiting.queue, Queue::kGpu);
  ASSERT_EQ(heavy.queue, Queue::kGpu);
  EXPECT_TRUE(queues.wanted(now_).cpu);
  EXPECT_EQ(queues.next_for_cpu(now_), &waiting);  // 500 us here; there after 950 us
  EXPECT_EQ(waiting.taken_as, TakenAs::kStolen);
  queues.cpu_done(waiting);
  EXPECT_FALSE(queues.wanted(now_).cpu);
  EXPECT_EQ(queues.next_for_cpu(now_), nullptr);  // the heavy one ends sooner on the GPU
  EXPECT_EQ(queues.state(now_).stolen_by_cpu, 1u);
}

TEST_F(QueriesInQueues, AreStolenByTheGpuToo) {
  auto queues = make();
  QueryJob &running = cpu_job(100), &waiting = job(20, 15), &kept = cpu_job(30);
  queues.add(running, now_);
  ASSERT_EQ(queues.next_for_cpu(now_), &running);
  queues.add(waiting, now_);
  queues.add(kept, now_);
  ASSERT_EQ(waiting.queue, Queue::kCpu);
  EXPECT_EQ(queues.wanted(now_).gpu, now_);
  EXPECT_EQ(batch(queues), std::vector{&waiting});
  EXPECT_EQ(waiting.taken_as, TakenAs::kStolen);
  EXPECT_TRUE(batch(queues).empty());
}

TEST_F(QueriesInQueues, GoToTheGpuWhenTheCpuTakesLongerThanPredicted) {
  auto queues = make(/*workers=*/2);
  for (const int predicted_us : {300, 200}) {
    QueryJob& running = cpu_job(predicted_us);
    ASSERT_EQ(queues.add(running, now_).admitted, Admitted::kYes);
    ASSERT_EQ(queues.next_for_cpu(now_), &running);
  }
  const Instant begun = now_;
  // The GPU takes 370 us, the CPU ends it after 200 us and its share of both jobs.
  QueryJob &waits = job(100, 320), &only_cpu = cpu_job(90);
  ASSERT_EQ(queues.add(waits, now_).admitted, Admitted::kYes);
  ASSERT_EQ(waits.queue, Queue::kCpu);
  ASSERT_EQ(queues.add(only_cpu, now_).admitted, Admitted::kYes);
  // Both workers must be late by a millisecond; then they are expected to take another.
  const Instant due = begun + microseconds(1300) + std::chrono::nanoseconds(1);
  EXPECT_EQ(queues.wanted(now_).gpu, due);
  pass(microseconds(300));
  const auto wanted = queues.wanted(now_);
  EXPECT_EQ(wanted.gpu, due);
  EXPECT_FALSE(wanted.cpu || wanted.batch);
  EXPECT_TRUE(batch(queues).empty());
  now_ = *wanted.gpu;
  EXPECT_LE(*queues.wanted(now_).gpu, now_);
  EXPECT_EQ(batch(queues), std::vector<QueryJob*>{&waits});
  EXPECT_EQ(waits.taken_as, TakenAs::kStolen);
  EXPECT_EQ(queues.state(now_).overrun, 1u);
  EXPECT_EQ(queues.wanted(now_).gpu, std::nullopt) << "the other one is for the CPU alone";
}

TEST_F(QueriesInQueues, StayWithTheCpuIfAWorkerEndsBefore) {
  auto queues = make();
  QueryJob& running = cpu_job(200);
  ASSERT_EQ(queues.add(running, now_).admitted, Admitted::kYes);
  ASSERT_EQ(queues.next_for_cpu(now_), &running);
  QueryJob& waits = job(100, 150);
  ASSERT_EQ(queues.add(waits, now_).admitted, Admitted::kYes);
  pass(microseconds(900));
  queues.cpu_done(running);
  EXPECT_TRUE(queues.wanted(now_).cpu);
  EXPECT_EQ(queues.next_for_cpu(now_), &waits);
  EXPECT_EQ(queues.state(now_).overrun, 0u);
}

TEST_F(QueriesInQueues, RunLightOnesFirst) {
  auto queues = make(1, 0);
  QueryJob &heavy = cpu_job(900), &light = cpu_job(20), &middle = cpu_job(200);
  for (QueryJob* one : {&heavy, &light, &middle}) queues.add(*one, now_);
  for (QueryJob* one : {&light, &middle, &heavy}) {
    EXPECT_EQ(queues.next_for_cpu(now_), one);
    queues.cpu_done(*one);
  }
}

TEST_F(QueriesInQueues, ArePassedByLightOnesAFewTimesTheirOwnCostOnly) {
  auto queues = make(1, 0);
  QueryJob& heavy = cpu_job(1000);
  queues.add(heavy, now_);
  double passed_us = 0;
  for (;;) {
    QueryJob& light = cpu_job(10);
    light.client = {1};
    queues.add(light, now_);
    QueryJob* next = queues.next_for_cpu(now_);
    ASSERT_NE(next, nullptr);
    queues.cpu_done(*next);
    if (next == &heavy) break;
    passed_us += next->cpu_us;
    ASSERT_LT(passed_us, 80'000);
  }
  EXPECT_NEAR(passed_us, 64'000, 1600);
}

TEST_F(QueriesInQueues, ShareTheProcessorBetweenClients) {
  auto queues = make(1, 0, 1000);
  std::vector<QueryJob*> lines;
  for (int i = 0; i < 200; ++i) queues.add(job(100, 1, milliseconds(500), /*client=*/1), now_);
  for (int i = 0; i < 5; ++i) queues.add(job(100, 1, milliseconds(500), /*client=*/2), now_);
  int lines_before = 0, singles = 0;
  while (singles < 5) {
    QueryJob* next = queues.next_for_cpu(now_);
    ASSERT_NE(next, nullptr);
    queues.cpu_done(*next);
    (next->client.id == 1 ? lines_before : singles) += 1;
  }
  EXPECT_LE(lines_before, 6);  // in turn, though 200 lines came before
  // Whoever comes later is not behind what was served before.
  QueryJob& late = job(100, 1, milliseconds(500), /*client=*/3);
  queues.add(late, now_);
  for (int i = 0; i < 2; ++i) {
    QueryJob* next = queues.next_for_cpu(now_);
    queues.cpu_done(*next);
    if (next == &late) return;
  }
  FAIL() << "the new client waits";
}

TEST_F(QueriesInQueues, GoFirstNearTheirDeadline) {
  auto queues = make(1, 0);
  QueryJob& heavy = cpu_job(3000, milliseconds(10));
  queues.add(heavy, now_);
  pass(milliseconds(6));  // it becomes urgent twice its cost before its deadline
  queues.add(cpu_job(10, milliseconds(400)), now_);
  EXPECT_EQ(queues.next_for_cpu(now_), &heavy);
  EXPECT_EQ(heavy.taken_as, TakenAs::kUrgent);
}

TEST_F(QueriesInQueues, GoToWhicheverEndsThemFirstNearTheirDeadline) {
  auto queues = make();
  queues.add(job(100'000, 20'000), now_);
  ASSERT_EQ(batch(queues).size(), 1u);  // until 20.05 ms
  QueryJob &slow = job(30'000, 30, milliseconds(22)), &own = cpu_job(50);
  queues.add(slow, now_);
  queues.add(own, now_);
  ASSERT_EQ(slow.queue, Queue::kGpu);
  pass(microseconds(16'500));
  EXPECT_EQ(queues.next_for_cpu(now_), &own);  // the GPU has the urgent one after 20.13 ms, a worker after 46.5
  queues.cpu_done(own);
  queues.remove(slow);
  QueryJob &fast = job(200, 30, microseconds(4500)), &more = cpu_job(50);
  queues.add(fast, now_);
  queues.add(more, now_);
  ASSERT_EQ(fast.queue, Queue::kGpu);
  pass(microseconds(3380));
  EXPECT_EQ(queues.next_for_cpu(now_), &fast);  // a worker has it after 20.08 ms
  EXPECT_EQ(fast.taken_as, TakenAs::kUrgent);
}

TEST_F(QueriesInQueues, DoNotWaitLongerThanTheMaxAge) {
  auto queues = make(1, 0);
  QueryJob& heavy = cpu_job(400'000, std::chrono::hours(1));
  heavy.deadline = Deadline::never();
  queues.add(heavy, now_);
  pass(milliseconds(1001));
  queues.add(cpu_job(10), now_);
  EXPECT_EQ(queues.next_for_cpu(now_), &heavy);
}

TEST_F(QueriesInQueues, AreRefusedIfTheyAreGoingToMissTheirDeadline) {
  auto queues = make(1, 0);
  queues.add(cpu_job(4000), now_);
  ASSERT_NE(queues.next_for_cpu(now_), nullptr);
  queues.add(cpu_job(4000), now_);
  const auto refused = queues.add(cpu_job(4000, milliseconds(10)), now_);
  EXPECT_EQ(refused.admitted, Admitted::kTooLate);
  EXPECT_NEAR(refused.wait_us, 12'000, 1);
  EXPECT_EQ(queues.add(cpu_job(4000, milliseconds(13)), now_).admitted, Admitted::kYes);
  EXPECT_EQ(queues.add(cpu_job(5, milliseconds(5)), now_).admitted, Admitted::kYes);  // light ones go first
  EXPECT_EQ(queues.add(cpu_job(5, microseconds(0)), now_).admitted, Admitted::kTooLate);
  EXPECT_EQ(queues.state(now_).refused_late, 2u);
}

TEST_F(QueriesInQueues, MayStartAtOnceWhateverWasPredicted) {
  auto queues = make(1, 0);
  EXPECT_EQ(queues.add(cpu_job(90'000, milliseconds(10)), now_).admitted, Admitted::kYes);
  EXPECT_EQ(queues.add(cpu_job(90'000, milliseconds(10)), now_).admitted, Admitted::kTooLate);
  EXPECT_NE(queues.next_for_cpu(now_), nullptr);
}

TEST_F(QueriesInQueues, UseTheOtherProcessorIfOnlyThatMeetsTheDeadline) {
  auto queues = make();
  queues.add(job(100'000, 9000), now_);
  ASSERT_EQ(batch(queues).size(), 1u);
  QueryJob& diverted = job(2000, 10, milliseconds(5));
  EXPECT_EQ(queues.add(diverted, now_).admitted, Admitted::kYes);
  EXPECT_EQ(diverted.queue, Queue::kCpu);
}

TEST_F(QueriesInQueues, AreRefusedBeyondTheirNumber) {
  auto queues = make(1, 0, /*max_waiting=*/2);
  queues.add(cpu_job(1, milliseconds(1)), now_);
  queues.add(cpu_job(1), now_);
  EXPECT_EQ(queues.add(cpu_job(1), now_).admitted, Admitted::kFull);
  pass(milliseconds(2));
  EXPECT_EQ(queues.add(cpu_job(1), now_).admitted, Admitted::kYes);  // the late one made room
  EXPECT_EQ(queues.next_dropped(), &jobs_[0]);
  EXPECT_EQ(queues.next_dropped(), nullptr);
  EXPECT_EQ(queues.state(now_).refused_full, 1u);
}

TEST_F(QueriesInQueues, AreDroppedOnceLateOrCancelled) {
  auto queues = make();
  Cancellation cancellation;
  QueryJob &late = cpu_job(10, milliseconds(1)), &cancelled = job(1000, 10), &wanted = cpu_job(10);
  cancelled.deadline = cancelled.deadline.or_when(cancellation);
  for (QueryJob* one : {&late, &cancelled, &wanted}) queues.add(*one, now_);
  pass(milliseconds(2));
  cancellation.cancel();
  EXPECT_EQ(queues.next_for_cpu(now_), &wanted);
  EXPECT_TRUE(batch(queues).empty());
  EXPECT_EQ(queues.next_dropped(), &late);
  EXPECT_EQ(queues.next_dropped(), &cancelled);
  EXPECT_EQ(queues.next_dropped(), nullptr);
  EXPECT_EQ(queues.waiting(), 0u);
}

TEST_F(QueriesInQueues, CanBeTakenOut) {
  auto queues = make();
  QueryJob &one = cpu_job(10), &two = job(1000, 10);
  queues.add(one, now_);
  queues.add(two, now_);
  EXPECT_TRUE(queues.remove(two));
  EXPECT_FALSE(queues.remove(two));
  EXPECT_EQ(queues.next_for_cpu(now_), &one);
  EXPECT_FALSE(queues.remove(one));
  EXPECT_FALSE(queues.wanted(now_).gpu);
}

TEST_F(QueriesInQueues, UseTheGpuIfTheCpuTakesTwiceAsLongWithItsWork) {
  auto queues = make();
  queues.add(cpu_job(5000), now_);
  ASSERT_NE(queues.next_for_cpu(now_), nullptr);
  QueryJob& diverted = job(20, 15);
  queues.add(diverted, now_);
  EXPECT_EQ(diverted.queue, Queue::kGpu);
}

TEST_F(QueriesInQueues, MoveTheThresholdToTheProcessorWithLessWork) {
  auto queues = make();
  for (int i = 0; i < 60; ++i) {
    queues.add(job(100'000, 900), now_);
    pass(milliseconds(1));
  }
  EXPECT_GT(queues.state(now_).threshold, 2);  // what belongs to the GPU must be faster there by more
  QueryJob& kept = job(100, 10);
  queues.add(kept, now_);
  EXPECT_EQ(kept.queue, Queue::kCpu);
}

}  // namespace
}  // namespace frond::leaf::schedule
