// GpuDevices: the same answers from one, two and three devices, to the byte, with partitions dealt to them and with all
// partitions on all. Where the machine has fewer devices, some engines are on the same one.
#include <gtest/gtest.h>

#include "common/device/runtime.h"
#include "leaf/gpu/gpu_devices.h"
#include "tests/gpu/engine/checked_engine.h"

namespace frond::leaf::gpu {
namespace {

using engine::Mode;

constexpr std::uint32_t kPartitions = 5;

struct Devices {
  explicit Devices(int count) {
    std::vector<std::unique_ptr<GpuEngine>> engines;
    const int there = device::count_devices();
    for (int i = 0; i < count; ++i) {
      auto made = GpuEngine::create({.device = i % there,
                                     .memory_bytes = std::size_t{100} << 20,
                                     .runners = 2,
                                     .copying = DeviceCache::Copying::kByTheCaller},
                                    *below);
      EXPECT_TRUE(made.has_value()) << made.error().message();
      engines.push_back(*std::move(made));
    }
    all.emplace(std::move(engines), *below, LoadBalance{.apart = 0, .whole = -1});
  }
  GpuDevices* operator->() { return &*all; }
  std::unique_ptr<engine::QueryEngine> below = *engine_named("cpu");
  std::optional<GpuDevices> all;
};

class SeveralDevices : public testing::Test {
 protected:
  static constexpr std::uint64_t kSeed = 750;

  SeveralDevices() {
    index_.set_priors(support::random_priors(random_, collection_.lengths.size()), 200);
    index_.set_hidden(index_.hidden_parts(support::random_hidden(random_, collection_.lengths.size())));
    for (int q = 0; q < 60; ++q) {
      const auto query = support::random_query(random_, collection_, q % 3 == 0 ? 1 : 4);
      for (std::size_t partition = 0; partition < kPartitions; ++partition) {
        plans_.push_back(index_.plan(partition, query, q % 2 == 0 ? Mode::kOr : Mode::kAnd, q % 5 == 0 ? 100 : 10));
        plans_.back().ranked = q % 4 != 3;
      }
    }
    wanted_ = (*engine_named("cpu"))->search(plans_, kClock);
  }
  // What one engine says of it: everything but how far it had to look.
  static void expect_equal(const Result<engine::Outcome>& got, const Result<engine::Outcome>& wanted,
                           const std::string& what) {
    ASSERT_TRUE(got.has_value()) << what << ": " << got.error().message();
    ASSERT_EQ(got->hits, wanted->hits) << what;
    if (got->exact && wanted->exact) {
      ASSERT_EQ(got->matches, wanted->matches) << what;
    }
  }
  void expect_same_answers(Devices& devices, std::size_t batch, const std::string& what) {
    for (std::size_t first = 0; first < plans_.size(); first += batch) {
      const auto some = std::span(plans_).subspan(first, std::min(batch, plans_.size() - first));
      const auto got = devices->search(some, kClock);
      for (std::size_t i = 0; i < some.size(); ++i) {
        expect_equal(got[i], wanted_[first + i], what + ", plan " + std::to_string(first + i));
        if (HasFatalFailure()) return;
      }
    }
  }

  support::Random random_{kSeed};
  const support::Collection collection_ = support::random_collection(kSeed, {.documents = 2000, .terms = 60});
  support::IndexedCollection index_{collection_, {.partitions = kPartitions}};
  std::vector<engine::Plan> plans_;
  std::vector<Result<engine::Outcome>> wanted_;
};

TEST_F(SeveralDevices, GiveTheSameAnswersWhetherOneHasAPartitionOrAllHave) {
  for (const int count : {1, 2, 3})
    for (const std::uint64_t bytes : {std::uint64_t{1} << 10, std::uint64_t{30} << 20}) {  // small, and half a device
      Devices devices(count);
      for (const auto& partition : index_.partitions()) devices->add(partition.number, bytes);
      for (const std::size_t batch : {std::size_t{7}, plans_.size()})
        expect_same_answers(devices, batch,
                            std::to_string(count) + " devices, partitions of " + std::to_string(bytes) +
                                " bytes, batches of " + std::to_string(batch));
      if (HasFatalFailure()) return;
      std::uint64_t run = 0;
      for (std::size_t i = 0; i < devices->count(); ++i) {
        EXPECT_GT(devices->engine(i).counters().plans, 0u) << i << " of " << count;
        run += devices->engine(i).counters().plans;
      }
      EXPECT_GT(run, plans_.size());
      EXPECT_EQ(devices->working(), static_cast<std::uint32_t>(count));
    }
}

TEST_F(SeveralDevices, RunPlansOfLeasesOnThePartitionsDevices) {
  Devices devices(3);
  for (const auto& partition : index_.partitions()) devices->add(partition.number, std::uint64_t{30} << 20);
  expect_same_answers(devices, 50, "lists are copied");
  std::vector<engine::Plan> leased;
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    engine::Plan plan = plans_[i];
    bool all = !plan.terms.empty();
    for (engine::PlanTerm& term : plan.terms) {
      term.on_device = devices->lists().find(term.list->key);
      all = all && term.on_device != nullptr;
      term.list = nullptr;
    }
    if (plan.hidden != nullptr) plan.hidden_on_device = devices->lists().find_array(plan.hidden->words());
    if (engine::adds_priors(plan)) plan.priors_on_device = devices->lists().find_array(plan.priors->arrays());
    if (!all) continue;
    leased.push_back(std::move(plan));
    of.push_back(i);
  }
  ASSERT_GT(leased.size(), plans_.size() / 2);
  engine::BatchTimes times;
  times.had_lists.resize(leased.size());
  const auto got = devices->try_search(leased, kClock, &times);
  for (std::size_t i = 0; i < leased.size(); ++i) {
    ASSERT_TRUE(got[i]) << of[i];
    expect_equal(*got[i], wanted_[of[i]], "plan " + std::to_string(of[i]));
    EXPECT_TRUE(times.had_lists[i]);
  }
}

}  // namespace
}  // namespace frond::leaf::gpu
