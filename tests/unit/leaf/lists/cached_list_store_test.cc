#include "leaf/lists/cached_list_store.h"

#include <gtest/gtest.h>

#include <latch>
#include <new>
#include <stdexcept>
#include <thread>

#include "tests/support/built_list.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/collections/memory_list_store.h"
#include "tests/support/memory/failing_allocations.h"

namespace frond::leaf::lists {
namespace {

class ACachedListStore : public testing::Test {
 protected:
  ACachedListStore() {
    for (const std::string term : {"a", "b", "c"}) add(term, 1000);
  }
  void add(const std::string& term, std::uint32_t postings) {
    const auto list = support::build_list(/*seed=*/5, postings, 3, 2);
    std::vector<ByteBuffer> segments;
    for (const auto view : list.views()) segments.emplace_back(view.begin(), view.end());
    below_.add(1, term, segments);
  }
  Result<std::vector<ListLease>> fetch(const std::string& term, Deadline deadline = Deadline::never()) {
    const ListKey key{1, term};
    return cache_.fetch(std::span(&key, 1), deadline);
  }
  support::ManualClock clock_;
  support::MemoryListStore below_{clock_};
  CachedListStore cache_{below_, {.budget_bytes = 1 << 20, .shards = 1}};
};

TEST_F(ACachedListStore, LoadsAListOnceAndCountsWhatItDid) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(fetch("a").has_value());
  EXPECT_EQ(below_.fetched(), 1u);
  const auto counters = cache_.counters();
  EXPECT_EQ(counters.misses, 1u);
  EXPECT_EQ(counters.hits, 4u);
  EXPECT_EQ(counters.entries, 1u);
  EXPECT_GE(counters.bytes, (*fetch("a"))[0]->bytes);
}

TEST_F(ACachedListStore, CopiesSegmentsToVectorBoundariesWithSlackBehind) {
  ASSERT_TRUE(fetch("a").has_value());
  const auto lease = (*fetch("a"))[0];
  for (const auto& segment : lease->postings.segments()) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(segment.bytes().data()) % 64, 0u);
    EXPECT_EQ(*(segment.bytes().data() + segment.bytes().size() + codec::kReadSlack - 1), std::byte{0});
  }
}

TEST_F(ACachedListStore, IndexesAListAndCountsWhatThatTakes) {
  const auto lease = (*fetch("a"))[0];
  ASSERT_NE(lease->buckets, nullptr);
  EXPECT_EQ(lease->buckets->last(), lease->postings.segments().back().last_docid());
  const std::size_t index = BucketIndex::bytes_for(lease->postings);
  EXPECT_GT(index, 0u);
  EXPECT_GE(lease->bytes, index + lease->postings.segments()[0].bytes().size());
  EXPECT_GE(cache_.counters().bytes, lease->bytes);
}

TEST_F(ACachedListStore, KeepsOneCopyForAllWhoAskAtTheSameTime) {
  std::latch loading(2);
  below_.before_fetch([&](auto) -> Result<void> {
    loading.arrive_and_wait();
    return {};
  });
  ListLease one, other;
  {
    std::jthread first([&] { one = (*fetch("a"))[0]; }), second([&] { other = (*fetch("a"))[0]; });
  }
  const ListLease kept = (*fetch("a"))[0];
  EXPECT_TRUE(one == kept || other == kept);
  EXPECT_EQ(cache_.counters().entries, 1u);
  // Who came while the other copied has the list of the store below.
  EXPECT_EQ(cache_.counters().passed_through, (one != kept ? 1u : 0u) + (other != kept ? 1u : 0u));
}

TEST_F(ACachedListStore, LetsOneOfThoseWhoMissAtOnceCopy) {
  add("long", 100'000);
  const ListKey key{1, "long"};
  std::uint64_t passed_through = 0;
  // Whether copies overlap is up to the machine.
  for (int i = 0; i < 2000 && passed_through == 0; ++i) {
    CachedListStore cache(below_, {.budget_bytes = 8 << 20, .shards = 1});
    std::latch loading(4);
    below_.before_fetch([&](auto) -> Result<void> {
      loading.arrive_and_wait();
      return {};
    });
    {
      std::vector<std::jthread> threads;
      for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&] { EXPECT_TRUE(cache.fetch(std::span(&key, 1), Deadline::never()).has_value()); });
    }
    passed_through = cache.counters().passed_through;
    EXPECT_EQ(cache.counters().entries, 1u);
  }
  EXPECT_GT(passed_through, 0u) << "all copied";
}

TEST_F(ACachedListStore, LoadsAgainWhatThrew) {
  std::atomic<bool> throws = true;
  below_.before_fetch([&](auto) -> Result<void> {
    if (throws) throw std::runtime_error("from below");
    return {};
  });
  EXPECT_THROW(static_cast<void>(fetch("a")), std::runtime_error);
  throws = false;
  EXPECT_TRUE(fetch("a").has_value());
}

TEST_F(ACachedListStore, LoadsAgainWhenMemoryRanOut) {
  if (!support::kAllocationsCanFail) GTEST_SKIP();
  const SteadyClock clock;
  CachedListStore cache(below_, {.budget_bytes = 1 << 20, .shards = 1});
  const ListKey key{1, "a"};
  bool failed = true;
  for (std::uint64_t count = 1; failed; ++count) {
    cache.invalidate(1);
    support::fail_allocation(count);
    try {
      (void)cache.fetch(std::span(&key, 1), Deadline::never());
    } catch (const std::bad_alloc&) {
    }
    failed = !support::allocation_will_fail();
    support::fail_allocation(0);
    cache.invalidate(1);  // looks at all loads
    const auto soon = Deadline::after(clock, std::chrono::seconds(2));
    ASSERT_TRUE(cache.fetch(std::span(&key, 1), soon).has_value()) << "allocation " << count;
  }
}

TEST_F(ACachedListStore, PassesOnWhatIsWrongBelowAndKeepsNothingOfIt) {
  below_.before_fetch([](auto) -> Result<void> { return Error(Code::kCorrupt, "list of 'a'"); });
  EXPECT_EQ(fetch("a"), Code::kCorrupt);
  below_.before_fetch(nullptr);
  EXPECT_TRUE(fetch("a").has_value());
}

TEST_F(ACachedListStore, ForgetsAnInvalidatedPartitionAlsoWhileItsListsAreLoaded) {
  ASSERT_TRUE(fetch("b").has_value());
  below_.before_fetch([&](auto) -> Result<void> {
    cache_.invalidate(1);
    return {};
  });
  ASSERT_TRUE(fetch("a").has_value());
  EXPECT_EQ(cache_.counters().entries, 0u);
  EXPECT_EQ(cache_.counters().bytes, 0u);
}

TEST_F(ACachedListStore, KeepsAListWithoutAnIndexWhereBothWouldTakeMoreThanItsShare) {
  const ListKey key{1, "a"};
  const ListLease whole = (*fetch("a"))[0];
  const std::size_t index = BucketIndex::bytes_for(whole->postings), bytes = whole->bytes;
  CachedListStore small(below_, {.budget_bytes = 4 * (bytes + 1000), .shards = 1});  // a list may take a quarter
  CachedListStore smaller(below_, {.budget_bytes = 4 * (bytes - index + 1000), .shards = 1});
  for (CachedListStore* const store : {&small, &smaller}) {
    const ListLease kept = (*store->fetch(std::span(&key, 1), Deadline::never()))[0];
    EXPECT_EQ(kept->buckets != nullptr, store == &small);
    EXPECT_EQ(kept->bytes, store == &small ? bytes : bytes - index);
    EXPECT_EQ(store->counters().entries, 1u);
  }
}

TEST_F(ACachedListStore, PassesAListThroughThatWouldTakeMoreThanItsShare) {
  add("long", 400'000);
  CachedListStore small(below_, {.budget_bytes = 200'000, .shards = 1});
  const ListKey key{1, "long"};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(small.fetch(std::span(&key, 1), Deadline::never()).has_value());
  EXPECT_EQ(small.counters().passed_through, 3u);
  EXPECT_EQ(small.counters().bytes, 0u);
}

}  // namespace
}  // namespace frond::leaf::lists
