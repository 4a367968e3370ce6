// Several devices of which one fails, hangs or is held up: every plan is answered, with the CPU's hits, by the others
// where they can; and what becomes of partitions when generations change.
#include "leaf/gpu/gpu_devices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "common/device/devices.h"
#include "common/device/patience.h"
#include "leaf/engines.h"
#include "tests/support/collections/indexed_collection.h"
#include "tests/support/cuda_on_host/devices.h"
#include "tests/support/cuda_on_host/fibers.h"

namespace frond::leaf::gpu {
namespace {

constexpr std::uint64_t kSmall = 1 << 10, kLarge = std::uint64_t{60} << 20;

class GpuDevicesThatFail : public testing::Test {
 protected:
  static constexpr std::uint64_t kSeed = 760;
  static constexpr std::uint32_t kPartitions = 4;
  static constexpr int kDevices = 2;

  GpuDevicesThatFail() {
    cuda_on_host::set_devices(kDevices);
    support::Random random(kSeed);
    for (int q = 0; q < 6; ++q) {
      const auto query = support::random_query(random, collection_, 3);
      for (std::size_t p = 0; p < kPartitions; ++p)
        plans_.push_back(index_.plan(p, query, q % 2 ? engine::Mode::kAnd : engine::Mode::kOr, 10));
    }
    wanted_ = below_->search(plans_, clock_);
  }
  ~GpuDevicesThatFail() override {
    for (int device = 0; device < kDevices; ++device) {
      cuda_on_host::lose_device_after(0, device);
      cuda_on_host::hang_device_after(0, device);
      cuda_on_host::let_device_go(device);
    }
    device::forget_given_up();
    cuda_on_host::set_devices(1);
  }
  std::unique_ptr<GpuDevices> make(std::uint64_t bytes, std::uint32_t runners = 1,
                                   const LoadBalance& balance = {.apart = 0, .whole = -1}) {
    std::vector<std::unique_ptr<GpuEngine>> engines;
    for (int device = 0; device < kDevices; ++device)
      engines.push_back(*GpuEngine::create({.device = device,
                                            .memory_bytes = std::size_t{100} << 20,
                                            .runners = runners,
                                            .patience = std::chrono::milliseconds(150),
                                            .copying = DeviceCache::Copying::kByTheCaller},
                                           *below_));
    auto devices = std::make_unique<GpuDevices>(std::move(engines), *below_, balance);
    for (const auto& partition : index_.partitions()) devices->add(partition.number, bytes);
    return devices;
  }
  void expect_answered(GpuDevices& devices, const std::string& what) {
    const auto got = devices.search(plans_, clock_);
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      ASSERT_TRUE(got[i].has_value()) << what << ": " << got[i].error().message();
      ASSERT_EQ(got[i]->hits, wanted_[i]->hits) << "seed " << kSeed << ", " << what << ", plan " << i;
    }
  }
  // All that kernels can search.
  void expect_all_on_devices(GpuDevices& devices, const std::string& what) {
    const auto answered = devices.try_search(plans_, clock_, nullptr);
    for (std::size_t i = 0; i < plans_.size(); ++i)
      EXPECT_EQ(answered[i].has_value(), fits_kernels(plans_[i])) << what << ", plan " << i;
  }
  std::vector<engine::Plan> plans_of(std::size_t partition) const {
    std::vector<engine::Plan> some;
    for (std::size_t i = partition; i < plans_.size(); i += kPartitions) some.push_back(plans_[i]);
    return some;
  }

  const SteadyClock clock_;
  const support::Collection collection_ = support::random_collection(kSeed, {.documents = 800, .terms = 30});
  const support::IndexedCollection index_{collection_, {.partitions = kPartitions}};
  const std::unique_ptr<engine::QueryEngine> below_ = *engine_named("cpu");
  std::vector<engine::Plan> plans_;
  std::vector<Result<engine::Outcome>> wanted_;
};

TEST_F(GpuDevicesThatFail, HandTheirPartitionsToTheOthers) {
  for (const int failing : {0, 1})
    for (const std::uint64_t bytes : {kSmall, kLarge}) {
      bool survived = false;
      std::uint64_t operations = 1;
      for (; !survived && operations < 2000; operations += operations < 6 ? 1 : 101) {
        for (const int device : {0, 1}) cuda_on_host::lose_device_after(0, device);
        const auto devices = make(bytes);
        cuda_on_host::lose_device_after(operations, failing);
        const std::string what = "device " + std::to_string(failing) + " lost after " + std::to_string(operations);
        expect_answered(*devices, what);
        expect_answered(*devices, what + ", again");
        if (HasFatalFailure()) return;
        survived = devices->working() == kDevices;
        if (survived) continue;
        const auto lost = static_cast<std::size_t>(failing), other = 1 - lost;
        EXPECT_TRUE(devices->engine(lost).lost()) << what;
        EXPECT_FALSE(devices->engine(other).lost()) << what;
        EXPECT_EQ(devices->counters(lost).places.partitions, 0u) << what;
        EXPECT_EQ(devices->counters(other).places.partitions, kPartitions) << what;
        EXPECT_EQ(devices->engine(lost).counters().lists.entries, 0u) << what;
        const auto plans = devices->engine(other).counters().plans;
        expect_all_on_devices(*devices, what + ": the other device");
        const auto fit = std::ranges::count_if(plans_, [](const engine::Plan& plan) { return fits_kernels(plan); });
        EXPECT_EQ(devices->engine(other).counters().plans, plans + static_cast<std::uint64_t>(fit)) << what;
      }
      EXPECT_TRUE(survived) << "more than " << operations << " operations";
      EXPECT_GT(operations, 40u);
    }
}

TEST_F(GpuDevicesThatFail, HoldNoListOfALostDeviceAndFindThoseOfTheOthers) {
  const auto devices = make(kLarge);
  expect_answered(*devices, "lists are copied");
  std::vector<lists::DeviceLease> leases;
  std::vector<lists::ListKey> keys;
  for (const engine::Plan& plan : plans_)
    for (const engine::PlanTerm& term : plan.terms)
      if (auto lease = devices->engine(1).lists().find(term.list->key)) {
        EXPECT_TRUE(devices->lists().holds(*lease));
        leases.push_back(std::move(lease));
        keys.push_back(term.list->key);
      }
  ASSERT_GT(leases.size(), 5u);
  cuda_on_host::lose_device_after(1, 1);
  expect_answered(*devices, "device 1 is lost");
  for (std::size_t i = 0; i < leases.size(); ++i) {
    EXPECT_FALSE(devices->lists().holds(*leases[i]));
    const auto other = devices->lists().find(keys[i]);
    ASSERT_NE(other, nullptr) << keys[i].term;
    EXPECT_TRUE(devices->lists().holds(*other));
  }
}

TEST_F(GpuDevicesThatFail, GoOnWithoutOneThatHangs) {
  for (const std::uint64_t operations : {1u, 5u, 60u}) {
    const auto devices = make(kSmall);
    {
      device::set_patience(std::chrono::milliseconds(400));
      cuda_on_host::hang_device_after(operations, 1);
      expect_answered(*devices, "hangs after " + std::to_string(operations));
      expect_answered(*devices, "hangs after " + std::to_string(operations) + ", again");
      EXPECT_EQ(devices->working(), 1u);
      EXPECT_TRUE(device::given_up(1));
      EXPECT_FALSE(device::given_up(0));
      expect_all_on_devices(*devices, "the other device");
    }
    cuda_on_host::hang_device_after(0, 1);
    device::forget_given_up();
    device::set_patience(device::kUsualPatience);
  }
}

TEST_F(GpuDevicesThatFail, LeaveAllToTheEngineBelowWhenAllAreLost) {
  const auto devices = make(kLarge);
  for (int device = 0; device < kDevices; ++device) cuda_on_host::lose_device_after(40, device);
  for (int round = 0; round < 3; ++round) expect_answered(*devices, "all are lost");
  EXPECT_TRUE(devices->lost());
  EXPECT_EQ(devices->working(), 0u);
  for (const auto& one : devices->try_search(plans_, clock_, nullptr)) EXPECT_FALSE(one);
}

TEST_F(GpuDevicesThatFail, AreHelpedByADeviceWithoutWork) {
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  const auto devices = make(kSmall, 1, {.apart = kFar, .whole = -1});
  expect_answered(*devices, "lists are copied");
  const std::size_t partition = 0;  // its home is device 0, the first of equal ones
  const auto some = plans_of(partition);
  cuda_on_host::hold_device(0);
  std::atomic<bool> held_answered{false};
  std::thread held([&] {
    static_cast<void>(devices->try_search(some, clock_, nullptr));
    held_answered = true;
  });
  cuda_on_host::await_held_operation(0);
  const auto answered = devices->try_search(some, clock_, nullptr);  // by device 1
  EXPECT_FALSE(held_answered);
  cuda_on_host::let_device_go(0);
  held.join();
  for (std::size_t i = 0; i < some.size(); ++i) {
    if (!fits_kernels(some[i])) continue;
    ASSERT_TRUE(answered[i]);
    EXPECT_EQ((**answered[i]).hits, wanted_[partition + i * kPartitions]->hits) << i;
  }
  EXPECT_EQ(devices->counters(1).lines.stolen, 1u);
}

TEST_F(GpuDevicesThatFail, GiveASmallCallToOneDeviceTheOneWithTheLeastBeforeIt) {
  const auto devices = make(kSmall, 1, {});
  expect_answered(*devices, "lists are copied");
  EXPECT_EQ(devices->counters(0).lines.shares, 1u);
  EXPECT_EQ(devices->counters(1).lines.shares, 0u);
  cuda_on_host::hold_device(0);
  std::thread held([&] { expect_answered(*devices, "held up"); });
  cuda_on_host::await_held_operation(0);
  expect_answered(*devices, "by the other");
  EXPECT_EQ(devices->counters(1).lines.shares, 1u);
  cuda_on_host::let_device_go(0);
  held.join();
}

TEST_F(GpuDevicesThatFail, SearchWhileGenerationsChange) {
  const support::IndexedCollection next(collection_, {.partitions = 3});
  const auto devices = make(kLarge, 2);
  std::vector<engine::Plan> of_next;
  support::Random random(kSeed + 1);
  for (int q = 0; q < 4; ++q) {
    const auto query = support::random_query(random, collection_, 3);
    for (std::size_t p = 0; p < 3; ++p) of_next.push_back(next.plan(p, query, engine::Mode::kOr, 10));
  }
  const auto wanted = below_->search(of_next, clock_);
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> wrong{0}, searched{0};
  std::thread old_searches([&] {
    while (!stop) {
      const auto got = devices->search(plans_, clock_);
      for (std::size_t i = 0; i < got.size(); ++i) wrong += !got[i] || got[i]->hits != wanted_[i]->hits;
      ++searched;
    }
  });
  for (int round = 0; round < 5; ++round) {
    for (const auto& partition : next.partitions()) devices->add(partition.number, kLarge);
    const auto got = devices->search(of_next, clock_);
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_TRUE(got[i]);
      EXPECT_EQ(got[i]->hits, wanted[i]->hits) << round;
    }
    for (const auto& partition : next.partitions()) devices->forget(partition.number);
  }
  while (searched == 0) std::this_thread::yield();
  stop = true;
  old_searches.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(devices->counters(0).places.partitions + devices->counters(1).places.partitions, kPartitions);
  for (const auto& partition : index_.partitions()) devices->forget(partition.number);
  for (std::size_t i = 0; i < devices->count(); ++i) {
    EXPECT_EQ(devices->engine(i).counters().lists.bytes, 0u) << i;
    EXPECT_EQ(devices->counters(i).places.bytes, 0u) << i;
  }
}

}  // namespace
}  // namespace frond::leaf::gpu
