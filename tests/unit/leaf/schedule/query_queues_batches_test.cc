// What goes into a batch for the GPU, and when it is closed.
#include "tests/unit/leaf/schedule/query_queues_fixture.h"

namespace frond::leaf::schedule {
namespace {

TEST_F(QueriesInQueues, GoToTheCpuWhenTheGpuFails) {
  auto queues = make();
  QueryJob &gpu = job(1000, 10), &either = job(61, 10), &for_gpu = job(500, 10), &running = job(1000, 10);
  for_gpu.for_cpu = false;
  queues.add(running, now_);
  ASSERT_EQ(batch(queues).size(), 1u);
  for (QueryJob* one : {&gpu, &either, &for_gpu}) queues.add(*one, now_);
  queues.close_gpu();
  queues.batch_done(stream_, now_);
  QueryJob& later = job(2000, 1);
  queues.add(later, now_);
  EXPECT_FALSE(queues.wanted(now_).gpu);
  for (QueryJob* one : {&either, &for_gpu, &gpu, &later}) {
    EXPECT_EQ(queues.next_for_cpu(now_), one);
    queues.cpu_done(*one);
  }
}

TEST_F(QueriesInQueues, MakeBatchesOfAsManyAsFit) {
  auto queues = make();
  for (int i = 0; i < 10; ++i) queues.add(job(10'000, 10 + i), now_);
  const auto first = batch(queues);
  ASSERT_EQ(first.size(), 8u);           // max_batch, the light ones, …
  EXPECT_EQ(first.front()->gpu_us, 17);  // … of which the heavy come first
  EXPECT_EQ(first.back()->gpu_us, 10);
  queues.batch_done(stream_, now_);
  EXPECT_EQ(batch(queues).size(), 2u);
  queues.batch_done(stream_, now_);
  for (int i = 0; i < 4; ++i) queues.add(job(100'000, 400), now_);
  EXPECT_EQ(batch(queues).size(), 2u);  // max_batch_work
  queues.batch_done(stream_, now_);
  queues.add(job(100'000, 5000), now_);
  EXPECT_EQ(batch(queues).size(), 2u);
  queues.batch_done(stream_, now_);
  EXPECT_EQ(batch(queues).size(), 1u);  // more than max_batch_work, but alone
}

TEST_F(QueriesInQueues, FillTheBatchesOfADeviceThatIsBehind) {
  auto queues = make(0);
  for (int i = 0; i < 6; ++i) queues.add(job(1, 600), now_);
  EXPECT_EQ(batch(queues).size(), 1u);  // 1,000 us are the most
  queues.batch_done(stream_, now_);
  for (int i = 0; i < 3; ++i) queues.add(job(1, 600), now_);
  EXPECT_EQ(batch(queues).size(), 6u);  // more than 4,000 us wait: up to four times the most
}

TEST_F(QueriesInQueues, ArePassedNoLongerThanTwiceWhatTheyWerePredictedToTake) {
  auto queues = make();
  QueryJob &first = cpu_job(500), &heavy = job(1000, 3000);
  queues.add(first, now_);
  ASSERT_EQ(queues.next_for_cpu(now_), &first);
  queues.add(heavy, now_);  // 1.5 ms predicted
  ASSERT_EQ(heavy.queue, Queue::kCpu);
  pass(microseconds(3900));
  queues.cpu_done(first);
  QueryJob &light = cpu_job(10), &lighter = cpu_job(5);
  queues.add(light, now_);
  ASSERT_EQ(queues.next_for_cpu(now_), &light);
  queues.cpu_done(light);
  pass(microseconds(200));
  queues.add(lighter, now_);
  EXPECT_EQ(queues.next_for_cpu(now_), &heavy);
  EXPECT_EQ(heavy.taken_as, TakenAs::kUrgent);
}

TEST_F(QueriesInQueues, CloseABatchBeforeTheDeviceIsIdle) {
  auto queues = make(1, 2);
  queues.add(job(100'000, 400), now_);
  EXPECT_EQ(queues.wanted(now_).gpu, now_);  // nothing runs: at once
  ASSERT_EQ(batch(queues).size(), 1u);       // ends after 50 + 400 us
  const std::uint32_t running = stream_;
  QueryJob& next = job(100'000, 10);
  queues.add(next, now_);
  EXPECT_EQ(queues.wanted(now_).gpu, now_ + microseconds(400));  // a launch before
  for (int i = 0; i < 7; ++i) queues.add(job(100'000, 10), now_);
  EXPECT_EQ(queues.wanted(now_).gpu, now_);  // full
  for (int i = 0; i < 7; ++i) queues.remove(jobs_.back()), jobs_.pop_back();
  QueryJob& heavy = job(100'000, 1000);
  queues.add(heavy, now_);
  EXPECT_EQ(queues.wanted(now_).gpu, now_);  // enough work
  queues.remove(heavy);
  queues.add(job(100'000, 10, microseconds(500)), now_);
  EXPECT_EQ(queues.wanted(now_).gpu, now_ + microseconds(375));  // urgent then
  queues.batch_done(running, now_);
  EXPECT_EQ(queues.wanted(now_).gpu, now_);  // the device is idle sooner than predicted
}

}  // namespace
}  // namespace frond::leaf::schedule
