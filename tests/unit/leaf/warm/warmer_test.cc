#include "leaf/warm/warmer.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <mutex>
#include <set>

#include "leaf/lists/cached_list_store.h"
#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::warm {
namespace {

// Remembers which lists were asked for, in order.
class WatchedStore final : public lists::ListStore {
 public:
  explicit WatchedStore(lists::ListStore& below) : below_(below) {}
  Result<std::vector<lists::ListLease>> fetch(std::span<const lists::ListKey> keys, Deadline deadline) override {
    {
      const std::scoped_lock lock(mutex_);
      if (keys.front().partition == unreadable) return Error(Code::kUnavailable, "an input/output error");
      for (const lists::ListKey& key : keys) asked.push_back(key.term);
    }
    return below_.fetch(keys, deadline);
  }
  std::vector<std::string> asked;
  std::uint64_t unreadable = 0;  // a partition's number

 private:
  lists::ListStore& below_;
  std::mutex mutex_;
};

// A device that counts what it is given.
class CountingDevice final : public engine::Accelerator {
 public:
  std::vector<std::optional<Result<engine::Outcome>>> try_search(std::span<const engine::Plan>, const Clock&,
                                                                 engine::BatchTimes*) override {
    return {};
  }
  bool warm(const engine::Plan& plan, std::span<const lists::ListLease> lists) override {
    EXPECT_GT(plan.partition, 0u);
    EXPECT_FALSE(plan.lengths.empty());
    ++plans;
    lists_given += lists.size();
    return lists_given < room;
  }
  std::uint32_t streams() const override { return 1; }
  bool lost() const override { return false; }
  std::vector<Device> devices() const override { return {{0, false}}; }
  lists::DeviceLists& lists() override { return none_; }
  std::string refusals() const override { return {}; }
  void forget(std::uint64_t) override {}
  std::size_t plans = 0, lists_given = 0, room = 1'000'000;

 private:
  struct NoLists final : lists::DeviceLists {
    lists::DeviceLease find(const lists::ListKey&) override { return nullptr; }
    std::shared_ptr<const void> find_array(const std::shared_ptr<const void>&) override { return nullptr; }
  } none_;
};

class AWarmer : public testing::Test {
 protected:
  const generation::ServedGeneration& generation() const { return *set_->front(); }
  Warmer warmer(engine::Accelerator* gpu = nullptr, std::uint64_t host_bytes = std::uint64_t{64} << 20,
                std::chrono::milliseconds limit = std::chrono::milliseconds(5000)) {
    return Warmer({.limit = limit,
                   .host_bytes = host_bytes,
                   .file = served_.folder / "ASKED",
                   .threads = threads_,
                   .least_documents = least_documents_},
                  store_, gpu, terms_, served_.clock, log_, nullptr);
  }
  std::set<std::string> asked() const { return {store_.asked.begin(), store_.asked.end()}; }
  static bool goes_on() { return false; }

  std::uint32_t least_documents_ = 1000;
  std::size_t threads_ = 1;
  serve::ServedCollection served_{support::random_documents(1000, 71), 1};
  std::shared_ptr<const generation::ServedSet> set_ = served_.board.get();
  lists::CachedListStore cache_{served_.store, {.budget_bytes = std::size_t{64} << 20}};
  WatchedStore store_{cache_};
  serve::TermTable terms_{std::size_t{1} << 20};
  Logger log_{"test", LogLevel::kError};
};

TEST_F(AWarmer, ReadsTheListsOfManyDocumentsTheLargestFirst) {
  warmer().warm(generation(), {}, goes_on);
  ASSERT_FALSE(store_.asked.empty());
  EXPECT_EQ(store_.asked.front(), "t0");  // in every document
  std::uint64_t last = ~std::uint64_t{0};
  for (const std::string& term : store_.asked) {
    const std::uint64_t df = *generation().terms->df(term);
    EXPECT_LE(df, last);
    EXPECT_GE(df, 128u);
    last = df;
  }
  const auto read = cache_.counters().misses;
  const lists::ListKey key{generation().partitions[0].open->number(), "t0"};
  ASSERT_TRUE(cache_.fetch({&key, 1}, Deadline::never()));
  EXPECT_EQ(cache_.counters().misses, read);
}

TEST_F(AWarmer, BeginsWithWhatSearchesAskedFor) {
  ASSERT_TRUE(write_asked(served_.folder / "ASKED", {{"t5", 9}, {"t3", 2}}));
  warmer().warm(generation(), {}, goes_on);
  ASSERT_GT(store_.asked.size(), 2u);
  EXPECT_EQ(store_.asked[0], "t5");
  EXPECT_EQ(store_.asked[1], "t3");
  EXPECT_EQ(asked().size(), store_.asked.size());  // none twice
  const auto known = terms_.counters().misses;
  ASSERT_TRUE(terms_.look_up(generation(), "t5"));
  EXPECT_EQ(terms_.counters().misses, known);
}

// A table of terms takes long to read where it is large and not in the page cache.
TEST_F(AWarmer, ReadsWhatSearchesAskedForBeforeItLooksForLargeLists) {
  ASSERT_TRUE(write_asked(served_.folder / "ASKED", {{"t5", 9}, {"t3", 2}}));
  warmer().warm(generation(), {}, [&] { return !store_.asked.empty(); });  // no time is left for a look
  EXPECT_EQ(store_.asked, (std::vector<std::string>{"t5", "t3"}));
}

TEST_F(AWarmer, GoesOnWithOtherPartitionsWhereOneCannotBeRead) {
  serve::ServedCollection two(support::random_documents(3000, 72), 2);
  const auto& partitions = two.board.get()->front()->partitions;
  lists::CachedListStore cache(two.store, {.budget_bytes = std::size_t{64} << 20});
  WatchedStore store(cache);
  for (const std::size_t threads : {std::size_t{1}, std::size_t{4}}) {
    std::array<std::size_t, 2> read{};
    for (const std::size_t unreadable : {0, 1}) {
      store.unreadable = partitions[unreadable].open->number();
      store.asked.clear();
      Warmer({.host_bytes = std::size_t{64} << 20, .threads = threads}, store, nullptr, terms_, two.clock, log_,
             nullptr)
          .warm(*two.board.get()->front(), {}, goes_on);
      read[1 - unreadable] = store.asked.size();
    }
    EXPECT_GT(read[0], 5u);
    EXPECT_GT(read[1], 5u);
  }
}

TEST_F(AWarmer, WritesDownWhatSearchesAskedFor) {
  Warmer one = warmer();
  one.remember(*set_);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(terms_.look_up(generation(), "t7"));
  ASSERT_TRUE(terms_.look_up(generation(), "t2"));
  ASSERT_TRUE(terms_.look_up(generation(), "nowhere"));
  one.remember(*set_);  // too soon
  EXPECT_EQ(read_asked(served_.folder / "ASKED"), Code::kNotFound);
  served_.clock.advance(std::chrono::minutes(2));
  one.remember(*set_);
  EXPECT_EQ(*read_asked(served_.folder / "ASKED"), (std::vector<AskedTerm>{{"t7", 3}, {"t2", 1}}));
}

TEST_F(AWarmer, LeavesAloneWhatIsServedAlready) {
  warmer().warm(generation(), *set_, goes_on);
  EXPECT_TRUE(store_.asked.empty());
}

TEST_F(AWarmer, EndsWhenItIsToldToOrTheTimeIsOver) {
  warmer().warm(generation(), {}, [] { return true; });
  EXPECT_TRUE(store_.asked.empty());
  warmer(nullptr, std::uint64_t{64} << 20, std::chrono::milliseconds(0)).warm(generation(), {}, goes_on);
  EXPECT_TRUE(store_.asked.empty());
}

TEST_F(AWarmer, EndsWhenTheCacheIsNearlyFull) {
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(terms_.look_up(generation(), "t" + std::to_string(i)));
  ASSERT_TRUE(write_asked(served_.folder / "ASKED", [] {
    std::vector<AskedTerm> terms;
    for (int i = 0; i < 200; ++i) terms.push_back({"t" + std::to_string(i), 1});
    return terms;
  }()));
  warmer(nullptr, 1).warm(generation(), {}, goes_on);
  EXPECT_EQ(store_.asked.size(), 64u);  // what is read at a time
}

TEST_F(AWarmer, GivesListsToADeviceUntilItHasNoRoom) {
  CountingDevice device;
  warmer(&device).warm(generation(), {}, goes_on);
  EXPECT_EQ(device.lists_given, store_.asked.size());
  CountingDevice full;
  full.room = 0;
  store_.asked.clear();
  warmer(&full).warm(generation(), {}, goes_on);
  EXPECT_TRUE(store_.asked.empty());
}

TEST_F(AWarmer, ReadsNoListsOfSmallPartitionsBesideThoseThatAreServed) {
  least_documents_ = 1001;
  CountingDevice device;
  const generation::ServedSet others{std::make_shared<const generation::ServedGeneration>()};
  warmer(&device).warm(generation(), others, goes_on);
  EXPECT_TRUE(store_.asked.empty());
  EXPECT_EQ(device.plans, 1u);  // the lengths of documents
}

TEST_F(AWarmer, ReadsTheListsOfSmallPartitionsAtTheStart) {
  least_documents_ = 1001;
  warmer().warm(generation(), {}, goes_on);
  EXPECT_FALSE(store_.asked.empty());
}

TEST_F(AWarmer, SurvivesADamagedFile) {
  std::ofstream(served_.folder / "ASKED") << "FRNDASK1 and so on";
  warmer().warm(generation(), {}, goes_on);
  EXPECT_EQ(store_.asked.front(), "t0");
}

}  // namespace
}  // namespace frond::leaf::warm
