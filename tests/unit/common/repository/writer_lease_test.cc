// One service holds a collection's lease, the next one follows when it has ended, and a holder that was overtaken
// publishes nothing any more. Time is a clock that the test moves.
#include "common/repository/writer_lease.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>

#include "tests/support/collections/manual_clock.h"
#include "tests/unit/common/repository/leased_repository.h"

namespace frond::repository {
namespace {
using std::chrono::milliseconds;
using std::chrono::seconds;

const LeaseTerms kOurs{"ours", seconds(10)}, kTheirs{"theirs", seconds(10)}, kAny{"theirs", seconds(10), true};

// Records in memory.
class MemoryPlace final : public LeasePlace {
 public:
  Result<std::optional<Found>> newest() const override {
    if (records.empty()) return std::optional<Found>();
    return std::optional<Found>({records.rbegin()->first, records.rbegin()->second});
  }
  Result<bool> take(const LeaseRecord& record, const std::optional<Found>& last) override {
    if (!records.empty() && records.rbegin()->first >= record.epoch) return false;
    records[record.epoch] = to_json(record);
    if (!last || records[last->epoch] == last->text) return true;
    records.erase(record.epoch);
    return false;
  }
  Result<void> rewrite(const LeaseRecord& record) override {
    records[record.epoch] = to_json(record);
    return {};
  }
  Result<void> remove(std::uint64_t epoch) override {
    records.erase(epoch);
    return {};
  }
  std::map<std::uint64_t, std::string> records;
};

// Another place, with what happens just before it is changed.
class WatchedPlace final : public LeasePlace {
 public:
  explicit WatchedPlace(LeasePlace& place) : place_(place) {}
  Result<std::optional<Found>> newest() const override {
    if (down) return Error(Code::kUnavailable, "down");
    return place_.newest();
  }
  Result<bool> take(const LeaseRecord& record, const std::optional<Found>& last) override {
    if (before_take) before_take();
    return place_.take(record, last);
  }
  Result<void> rewrite(const LeaseRecord& record) override {
    if (before_rewrite) before_rewrite();
    return place_.rewrite(record);
  }
  Result<void> remove(std::uint64_t epoch) override { return place_.remove(epoch); }
  bool down = false;
  std::function<void()> before_take, before_rewrite;

 private:
  LeasePlace& place_;
};

// Over every place; no value: in memory.
class AWriterLease : public testing::TestWithParam<std::optional<Kind>> {
 protected:
  AWriterLease() : stored(make()), place(stored ? *stored : memory) {}
  Result<std::unique_ptr<WriterLease>> acquire(LeaseWatch& watch, const LeaseTerms& terms) {
    return WriterLease::acquire(place, watch, terms, clock, [this](const std::optional<LeaseRecord>& last) {
      before = last;
      return Result<void>();
    });
  }
  std::size_t records() const { return repository ? repository->records() : memory.records.size(); }
  support::ManualClock clock;
  std::optional<LeasedRepository> repository;
  MemoryPlace memory;
  std::unique_ptr<LeasePlace> stored;
  WatchedPlace place;
  LeaseWatch our_watch, their_watch;
  std::optional<LeaseRecord> before;

 private:
  std::unique_ptr<LeasePlace> make() { return GetParam() ? repository.emplace(*GetParam()).place("machine") : nullptr; }
};
INSTANTIATE_TEST_SUITE_P(EveryPlace, AWriterLease,
                         testing::Values(std::optional<Kind>(), Kind::kDirectory, Kind::kConditions,
                                         Kind::kNoConditions),
                         [](const auto& param) { return param.param ? name_of(*param.param) : "Memory"; });

TEST_P(AWriterLease, IsHeldByOne) {
  const auto ours = acquire(our_watch, kOurs);
  ASSERT_TRUE(ours);
  EXPECT_EQ((*ours)->epoch(), 1u);
  EXPECT_TRUE((*ours)->expect_held());
  EXPECT_EQ(acquire(their_watch, kAny), Code::kOverloaded);
}
TEST_P(AWriterLease, LastsAsLongAsItIsRenewed) {
  const auto ours = acquire(our_watch, kOurs);
  for (int i = 0; i < 50; ++i) {
    clock.advance((*ours)->renew_every());
    ASSERT_TRUE((*ours)->renew(3));
    EXPECT_TRUE((*ours)->expect_held());
    EXPECT_EQ(acquire(their_watch, kAny), Code::kOverloaded);
  }
}
TEST_P(AWriterLease, IsInDoubtBeforeAnotherMayTakeIt) {
  const auto ours = acquire(our_watch, kOurs);
  EXPECT_EQ(acquire(their_watch, kAny), Code::kOverloaded);  // sees it now
  clock.advance(milliseconds(7499));
  EXPECT_TRUE((*ours)->expect_held());
  clock.advance(milliseconds(1));
  EXPECT_EQ((*ours)->expect_held(), Code::kUnavailable);
  clock.advance(milliseconds(2499));
  EXPECT_EQ(acquire(their_watch, kAny), Code::kOverloaded);
  clock.advance(milliseconds(1));
  EXPECT_EQ((*acquire(their_watch, kAny))->epoch(), 2u);
}
TEST_P(AWriterLease, GoesOnAfterADoubtIfNobodyTookIt) {
  const auto ours = acquire(our_watch, kOurs);
  place.down = true;
  clock.advance(seconds(60));
  EXPECT_EQ((*ours)->renew(0), Code::kUnavailable);
  EXPECT_FALSE((*ours)->expect_held());
  EXPECT_FALSE((*ours)->lost());
  place.down = false;
  EXPECT_TRUE((*ours)->renew(0));
  EXPECT_TRUE((*ours)->expect_held());
}
TEST_P(AWriterLease, IsLostForGoodOnceAnotherTookIt) {
  const auto ours = acquire(our_watch, kOurs);
  EXPECT_FALSE(acquire(their_watch, kAny));
  clock.advance(seconds(10));
  const auto theirs = acquire(their_watch, kAny);
  ASSERT_TRUE(theirs);
  EXPECT_EQ((*ours)->renew(0), Code::kOverloaded);
  EXPECT_TRUE((*ours)->lost());
  EXPECT_EQ((*ours)->expect_held(), Code::kUnavailable);
  (*ours)->release(0);  // does nothing
  EXPECT_TRUE((*theirs)->renew(0));
  EXPECT_EQ(records(), 1u);
}
TEST_P(AWriterLease, StaysWithAHolderThatRenewsWhileAnotherTakesIt) {
  const auto ours = acquire(our_watch, kOurs);
  EXPECT_FALSE(acquire(their_watch, kAny));
  clock.advance(seconds(10));
  place.before_take = [&] { EXPECT_TRUE((*ours)->renew(0)); };
  EXPECT_EQ(acquire(their_watch, kAny), Code::kOverloaded);
  EXPECT_TRUE((*ours)->renew(0));
  EXPECT_EQ(records(), 1u);
}
TEST_P(AWriterLease, IsLostByAHolderThatRenewsJustAfterAnotherTookIt) {
  const auto ours = acquire(our_watch, kOurs);
  EXPECT_FALSE(acquire(their_watch, kAny));
  clock.advance(seconds(10));
  std::unique_ptr<WriterLease> theirs;
  place.before_rewrite = [&] {
    place.before_rewrite = {};
    theirs = acquire(their_watch, kAny).value();
  };
  EXPECT_EQ((*ours)->renew(0), Code::kOverloaded);
  EXPECT_FALSE((*ours)->expect_held());
  EXPECT_TRUE(theirs->renew(0));
}
TEST_P(AWriterLease, IsTakenAtOnceByWhoeverHasTheLog) {
  const auto dead = acquire(our_watch, kOurs);
  LeaseWatch fresh;
  const auto again = acquire(fresh, kOurs);
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->epoch(), 2u);
  EXPECT_EQ(before->log, "ours");
  EXPECT_FALSE((*again)->taken_from());
}
TEST_P(AWriterLease, StaysWhereTheUnpublishedChangesAre) {
  const auto ours = acquire(our_watch, kOurs);
  ASSERT_TRUE((*ours)->renew(5));
  EXPECT_EQ(acquire(their_watch, kTheirs), Code::kOverloaded);
  clock.advance(seconds(10));
  const auto refused = acquire(their_watch, kTheirs);
  EXPECT_EQ(refused, Code::kUnavailable);
  EXPECT_NE(refused.error().message().find("5 changes"), std::string::npos) << refused.error().message();
  const auto told = acquire(their_watch, kAny);
  ASSERT_TRUE(told);
  EXPECT_EQ((*told)->taken_from()->waiting, 5u);
}
TEST_P(AWriterLease, IsFreeForAllIfItsHolderLeftNothing) {
  (*acquire(our_watch, kOurs))->release(0);
  const auto theirs = acquire(their_watch, kTheirs);
  ASSERT_TRUE(theirs);
  EXPECT_EQ((*theirs)->epoch(), 2u);
  (*theirs)->release(4);
  EXPECT_EQ(acquire(our_watch, kOurs), Code::kUnavailable);
  EXPECT_TRUE(acquire(their_watch, kTheirs));
}
TEST_P(AWriterLease, IsNotTakenIfWhatComesBeforeFails) {
  const auto failed = WriterLease::acquire(place, our_watch, kOurs, clock,
                                           [](const auto&) { return Result<void>(Error(Code::kCorrupt, "a test's")); });
  EXPECT_EQ(failed, Code::kCorrupt);
  EXPECT_EQ(place.newest().value(), std::nullopt);
}
TEST(LeaseRecords, AreReadAsTheyWereWritten) {
  const LeaseRecord record{7, "host process 1", "0123456789abcdef", 15000, 3, 9, true};
  EXPECT_EQ(lease_record_from_json(to_json(record)), record);
  for (const char* wrong :
       {"", "[]", "{}", "\xff", R"({"epoch":1})", R"({"epoch":-1,"holder":"","log":"x","length_ms":1,)"})
    EXPECT_EQ(lease_record_from_json(wrong), Code::kCorrupt) << wrong;
}

}  // namespace
}  // namespace frond::repository
