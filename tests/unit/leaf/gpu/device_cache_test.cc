// Partitions that close while lists of them wait to be copied: after forget() the cache reads and keeps nothing of
// them.
#include "leaf/gpu/device_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
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

TEST_F(DeviceCacheOfClosingPartitions, EvictsNoListThatAPlanUses) {
  std::vector<std::weak_ptr<const lists::List>> lists;
  const engine::Plan first = plan(0, lists), other = plan(1, lists);
  EXPECT_FALSE(cache_->pin(first));
  cache_->settle();
  auto ready = cache_->pin(first);
  ASSERT_TRUE(ready);
  for (std::size_t bytes = arena_.bytes(); bytes >= device::Arena::kGranule; bytes /= 2)
    while (arena_.allocate(bytes) != nullptr) {
    }
  EXPECT_FALSE(cache_->pin(other));
  cache_->settle();
  EXPECT_EQ(cache_->counters().evictions, 0u) << "it would free nothing";
  EXPECT_TRUE(cache_->pin(first));
  ready.reset();
  EXPECT_FALSE(cache_->pin(other));
  cache_->settle();
  EXPECT_GT(cache_->counters().evictions, 0u);
}

class NoCodes final : public engine::DocumentCodes {
 public:
  NoCodes() : DocumentCodes(nullptr, 1, 1) {}
  void write(DocId, std::span<std::byte>) const override {}
};

// A copy that finds no room while memory comes back may have asked too early.
TEST(DocumentArrays, RememberNoLackOfRoomThatHasEnded) {
  DocumentArrays arrays;
  using State = DocumentArrays::State;
  const auto owner = [] { return std::make_shared<const int>(); };
  const auto source = [](const auto& name, std::uint64_t partition) {
    return DocumentArrays::Source{.owner = name, .parts = {}, .partition = partition, .priors = {}};
  };
  const auto memory = [] { return std::make_shared<std::byte>(); };
  const auto refused = owner(), kept = owner();
  const auto refuse = [&](std::uint64_t asked) {
    arrays.insert(source(refused, 1), nullptr, asked);
    return arrays.find(refused).state == State::kDoesNotFit;
  };
  std::uint64_t asked = arrays.returns();
  EXPECT_TRUE(refuse(asked));
  arrays.forget(2);
  EXPECT_EQ(arrays.find(refused).state, State::kMissing);
  EXPECT_FALSE(refuse(asked));
  EXPECT_TRUE(refuse(arrays.returns()));
  auto unused = owner(), unused_bits = owner();
  DocumentArrays::Source codes = source(unused, 1);
  codes.codes = std::make_shared<NoCodes>();
  arrays.insert(codes, memory(), 0);
  codes = {};
  arrays.insert(source(unused_bits, 1), memory(), 0);
  arrays.insert(source(kept, 1), memory(), 0);
  asked = arrays.returns();
  unused_bits.reset();
  arrays.drop_unused();
  EXPECT_TRUE(refuse(asked));
  unused.reset();
  arrays.drop_unused();
  EXPECT_EQ(arrays.find(refused).state, State::kMissing);
  EXPECT_FALSE(refuse(asked));
  EXPECT_EQ(arrays.find(kept).state, State::kThere);
}

// More lists than are copied at a time, through pinned memory that is smaller than some of them.
TEST(DeviceCache, CopiesManyListsThroughLittlePinnedMemory) {
  const support::IndexedCollection index(support::random_collection(913, {.documents = 3000, .terms = 150}), {});
  std::vector<support::TermNumber> all(150);
  std::iota(all.begin(), all.end(), support::TermNumber{0});
  engine::Plan plan = index.plan(0, all, engine::Mode::kOr, 10);
  const device::Memory memory = *device::Memory::create(device::Place::kDevice, std::size_t{32} << 20);
  device::Arena arena(memory.data(), memory.bytes());
  const auto wide = *DeviceCache::create(arena, {});
  const auto narrow = *DeviceCache::create(arena, {.staging_bytes = 512});
  std::vector<lists::ListLease> leases;
  for (const engine::PlanTerm& term : plan.terms) leases.push_back(term.list);
  ASSERT_GT(leases.size(), 2 * ListCopier::kMaxLists);
  plan.terms.clear();
  EXPECT_TRUE(wide->warm(plan, leases));
  EXPECT_TRUE(narrow->warm(plan, leases));
  for (const lists::ListLease& lease : leases) {
    const auto a = std::static_pointer_cast<const ResidentList>(wide->find(lease->key));
    const auto b = std::static_pointer_cast<const ResidentList>(narrow->find(lease->key));
    ASSERT_TRUE(a && b) << lease->key.term;
    ASSERT_EQ(a->list.block_count, b->list.block_count);
    EXPECT_EQ(std::memcmp(a->list.blocks, b->list.blocks, a->list.block_count * sizeof(BlockEntry)), 0);
    EXPECT_EQ(std::memcmp(a->list.starts, b->list.starts, std::size_t{a->list.block_count} * kRuns * 4), 0);
    const std::uint32_t words = ((std::uint32_t{3000} - 1) >> a->list.marks_shift) / 32 + 1;
    EXPECT_EQ(std::memcmp(a->list.marks, b->list.marks, std::size_t{words} * 4), 0);
  }
  EXPECT_EQ(narrow->counters().entries, leases.size());
  EXPECT_EQ(narrow->refusals(), "");
}

class DeviceCacheOfHiddenDocuments : public DeviceCacheOfClosingPartitions {
 protected:
  std::shared_ptr<const partition::HiddenDocuments> hidden(DocId docid) const {
    return std::make_shared<const partition::HiddenDocuments>(300, std::vector<DocId>{docid});
  }
  std::optional<ReadyPlan> pin_with(const partition::HiddenDocuments& hidden) {
    engine::Plan plan = plan_;
    plan.hidden = &hidden;
    return cache_->pin(plan);
  }
  // The arena's bytes with the lists and lengths alone.
  std::size_t bytes_of_lists() {
    cache_->pin(plan_);
    cache_->settle();
    return arena_.used();
  }
  std::vector<std::weak_ptr<const lists::List>> lists_;
  const engine::Plan plan_ = plan(0, lists_);
};

TEST_F(DeviceCacheOfHiddenDocuments, HasAnArrayForEachGenerationAndDropsItWithThat) {
  const std::size_t lists = bytes_of_lists(), array = device::Arena::kGranule;
  auto one = hidden(7), other = hidden(8);
  EXPECT_FALSE(pin_with(*one));
  EXPECT_FALSE(pin_with(*other));
  cache_->settle();
  EXPECT_EQ(arena_.used(), lists + 2 * array);
  auto ready = pin_with(*one);
  ASSERT_TRUE(ready && pin_with(*other));
  EXPECT_EQ(ready->hidden->words[0], 1u << 7);
  EXPECT_NE(ready->hidden->number, pin_with(*other)->hidden->number);
  EXPECT_EQ(pin_with(*one)->hidden, ready->hidden);
  EXPECT_EQ(cache_->pin(plan_)->hidden, nullptr);  // another generation may hide nothing
  other.reset();
  const auto next = hidden(9);
  EXPECT_FALSE(pin_with(*next));
  cache_->settle();
  EXPECT_TRUE(pin_with(*next));
  EXPECT_EQ(arena_.used(), lists + 2 * array);
  cache_->forget(number(0));
  EXPECT_EQ(cache_->find_array(next->words()), nullptr);
  EXPECT_EQ(arena_.used(), lists + array);  // the ready plan's
  ready.reset();
  EXPECT_EQ(arena_.used(), 0u);
}

TEST_F(DeviceCacheOfHiddenDocuments, OrdersAnArrayOnceAndKeepsItsWordsInPlaceUntilItIsCopied) {
  const std::size_t lists = bytes_of_lists();
  auto one = hidden(7);
  const std::weak_ptr<const void> words = one->words();
  cuda_on_host::hold_device();
  std::vector<std::weak_ptr<const lists::List>> others;
  EXPECT_FALSE(cache_->pin(plan(1, others)));
  cuda_on_host::await_held_operation();
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(pin_with(*one));  // more than may wait
  EXPECT_EQ(words.use_count(), 2);
  one.reset();
  EXPECT_FALSE(words.expired());
  cuda_on_host::let_device_go();
  cache_->settle();
  EXPECT_TRUE(words.expired());
  EXPECT_GT(arena_.used(), lists);
}

}  // namespace
}  // namespace frond::leaf::gpu
