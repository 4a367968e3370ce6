// Partitions that close while lists of them wait to be copied: after forget() the cache reads and keeps nothing of
// them.
#include "leaf/gpu/device_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/collections/indexed_collection.h"
#include "tests/support/cuda_on_host/fibers.h"

namespace frond::leaf::gpu {
namespace {

class DeviceCacheOfClosingPartitions : public testing::Test {
 protected:
  // A plan with copies of three lists, which end with their last lease.
  engine::Plan plan(std::size_t partition, std::vector<std::weak_ptr<const lists::List>>& lists) const {
    engine::Plan made = index_.plan(partition, std::vector<support::TermNumber>{0, 1, 2}, engine::Mode::kOr, 10);
    for (engine::PlanTerm& term : made.terms) {
      term.list = std::make_shared<lists::List>(*term.list);
      lists.push_back(term.list);
    }
    return made;
  }
  std::uint64_t number(std::size_t partition) const { return index_.partitions()[partition].number; }
  static bool ended(const std::vector<std::weak_ptr<const lists::List>>& lists) {
    for (const auto& list : lists)
      if (!list.expired()) return false;
    return !lists.empty();
  }

  const support::IndexedCollection index_{support::random_collection(911, {.documents = 600, .terms = 30}),
                                          {.partitions = 2}};
  const device::Memory memory_ = *device::Memory::create(device::Place::kDevice, std::size_t{16} << 20);
  device::Arena arena_{memory_.data(), memory_.bytes()};
  const std::unique_ptr<DeviceCache> cache_ = *DeviceCache::create(arena_, {});
};

TEST_F(DeviceCacheOfClosingPartitions, DropsWhatStillWaitsToBeCopied) {
  std::vector<std::weak_ptr<const lists::List>> lists, waiting;
  cuda_on_host::hold_device();
  const engine::Plan first = plan(0, lists);
  EXPECT_FALSE(cache_->pin(first));
  cuda_on_host::await_held_operation();
  EXPECT_FALSE(cache_->pin(plan(1, waiting)));
  EXPECT_FALSE(ended(waiting));
  cache_->forget(number(1));  // does not wait for the other partition's copy
  EXPECT_TRUE(ended(waiting));
  cuda_on_host::let_device_go();
  cache_->settle();
  EXPECT_TRUE(cache_->pin(first));
  cache_->forget(number(0));
  EXPECT_EQ(cache_->counters().entries, 0u);
  EXPECT_EQ(arena_.used(), 0u);
}

TEST_F(DeviceCacheOfClosingPartitions, WaitsForTheCopyInProgress) {
  std::vector<std::weak_ptr<const lists::List>> lists;
  cuda_on_host::hold_device();
  EXPECT_FALSE(cache_->pin(plan(0, lists)));
  cuda_on_host::await_held_operation();
  std::atomic<bool> closed{false};
  std::jthread closing([&] {
    cache_->forget(number(0));
    closed = true;
  });
  std::this_thread::sleep_for(
      std::chrono::milliseconds(20));  // long enough for a forget() that does not wait to return
  EXPECT_FALSE(closed);
  cuda_on_host::let_device_go();
  closing.join();
  EXPECT_TRUE(ended(lists));
  cache_->settle();
  EXPECT_EQ(cache_->counters().entries, 0u);
  EXPECT_EQ(arena_.used(), 0u);
}

TEST_F(DeviceCacheOfClosingPartitions, IsReadyForPlansOfItsOwnLeases) {
  std::vector<std::weak_ptr<const lists::List>> lists;
  const engine::Plan with_lists = plan(0, lists);
  EXPECT_EQ(cache_->find(with_lists.terms[0].list->key), nullptr);
  EXPECT_FALSE(cache_->pin(with_lists));
  cache_->settle();
  const auto wanted = cache_->pin(with_lists);
  ASSERT_TRUE(wanted);
  engine::Plan of_leases = with_lists;
  for (engine::PlanTerm& term : of_leases.terms) {
    term.on_device = cache_->find(term.list->key);
    ASSERT_NE(term.on_device, nullptr);
    EXPECT_EQ(std::static_pointer_cast<const ResidentList>(term.on_device)->list_deficit,
              term.list->postings.list_deficit());
    term.list = nullptr;
  }
  EXPECT_TRUE(fits_kernels(of_leases));
  const std::uint64_t hits = cache_->counters().hits;
  const auto ready = cache_->pin(of_leases);
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->lists, wanted->lists);
  EXPECT_EQ(ready->lengths, wanted->lengths);
  EXPECT_EQ(cache_->counters().hits, hits + 3);
}

}  // namespace
}  // namespace frond::leaf::gpu
