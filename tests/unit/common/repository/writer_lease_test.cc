// One service holds a collection's lease, the next one follows when it has ended, and a holder that was overtaken
// publishes nothing any more. Time is a clock that the test moves.
#include "common/repository/leases/writer_lease.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/repository/storage/storage.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/unit/common/repository/leased_repository.h"

namespace frond::repository {
namespace {
using std::chrono::milliseconds;
using std::chrono::seconds;

// In life 0, unless a test says otherwise, so that the first epoch is 1.
const LeaseTerms kOurs{"ours", seconds(10), false, 0}, kTheirs{"theirs", seconds(10), false, 0},
    kAny{"theirs", seconds(10), true, 0};

// Records in memory.
class MemoryPlace final : public LeasePlace {
 public:
  Result<std::optional<Found>> newest() const override {
    return newest_record([this]() -> Result<std::vector<std::uint64_t>> { return epochs(); },
                         [this] { return current_epoch(); },
                         [this](std::uint64_t epoch) -> Result<std::string> { return records.at(epoch); });
  }
  Result<std::uint64_t> current_epoch() const override { return current; }
  Result<bool> take(const LeaseRecord& record, const std::optional<Found>& last) override {
    if (!records.emplace(record.epoch, to_json(record)).second) return false;
    if (leave_free(epochs(), record.epoch) && may_follow(record.epoch, current) &&
        (!last || (records.contains(last->epoch) && records.at(last->epoch) == last->text))) {
      current = record.epoch;
      return true;
    }
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
  std::vector<std::uint64_t> epochs() const {
    std::vector<std::uint64_t> all;
    for (const auto& [epoch, text] : records) all.push_back(epoch);
    return all;
  }
  std::map<std::uint64_t, std::string> records;
  std::uint64_t current = 0;
};

// Another place, with what happens, once, just before it is changed.
class WatchedPlace final : public LeasePlace {
 public:
  explicit WatchedPlace(LeasePlace& place) : place_(place) {}
  Result<std::optional<Found>> newest() const override {
    if (down) return Error(Code::kUnavailable, "down");
    return place_.newest();
  }
  Result<std::uint64_t> current_epoch() const override { return place_.current_epoch(); }
  Result<bool> take(const LeaseRecord& record, const std::optional<Found>& last) override {
    if (const auto once = std::exchange(before_take, {})) once();
    return place_.take(record, last);
  }
  Result<void> rewrite(const LeaseRecord& record) override {
    if (const auto once = std::exchange(before_rewrite, {})) once();
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
    return WriterLease::acquire(place, watch, terms, clock,
                                [this](const std::optional<LeaseRecord>& last, std::uint64_t epoch) {
                                  before = last;
                                  before_epoch = epoch;
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
  std::uint64_t before_epoch = 0;

  // As a holder that wakes up does.
  void put_record(const LeaseRecord& record) {
    if (repository) return repository->put_record(record.epoch, to_json(record));
    memory.records[record.epoch] = to_json(record);
  }
  const LeaseRecord of_other_life{
      .epoch = first_epoch(9), .holder = "x", .log = "ours", .length_ms = 10'000, .waiting = 5};

  // With all its files, as CollectionPlaces does.
  void remove_collection() {
    if (repository) return repository->remove_collection();
    memory.records.clear();
    memory.current = 0;
  }

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
  place.before_rewrite = [&] { theirs = acquire(their_watch, kAny).value(); };
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
  const auto failed = WriterLease::acquire(place, our_watch, kOurs, clock, [](const auto&, std::uint64_t) {
    return Result<void>(Error(Code::kCorrupt, "a test's"));
  });
  EXPECT_EQ(failed, Code::kCorrupt);
  EXPECT_EQ(place.newest().value(), std::nullopt);
}
// A collection that is removed and made again while its holder is stopped. Where the holder's epoch is the higher one,
// or the lower one.
const std::uint64_t kLives[][2] = {{7, 9}, {9, 7}};
LeaseTerms of_life(const LeaseTerms& terms, std::uint64_t life) {
  LeaseTerms with = terms;
  with.life = life;
  return with;
}

TEST_P(AWriterLease, BeginsAnotherLifeOfACollectionThatIsMadeAgain) {
  LeaseTerms random = kOurs;
  random.life.reset();
  std::uint64_t lives[2];
  for (std::uint64_t& life : lives) {
    const auto ours = acquire(our_watch, random);
    ASSERT_TRUE(ours);
    EXPECT_EQ(before, std::nullopt);
    EXPECT_EQ(before_epoch, (*ours)->epoch());
    life = life_of((*ours)->epoch());
    EXPECT_NE(life, 0u);
    EXPECT_EQ((*ours)->epoch(), first_epoch(life));
    EXPECT_LT((*ours)->epoch(), std::uint64_t{1} << 52);
    const auto again = acquire(our_watch, random);
    EXPECT_EQ((*again)->epoch(), (*ours)->epoch() + 1);
    remove_collection();
  }
  EXPECT_NE(lives[0], lives[1]);
}
TEST_P(AWriterLease, IsLostByAHolderThatWasStoppedWhenTheCollectionIsMadeAgain) {
  for (const auto& [first, second] : kLives) {
    SCOPED_TRACE(first);
    remove_collection();
    const auto stopped = acquire(our_watch, of_life(kOurs, first));
    clock.advance(seconds(60));
    remove_collection();
    const auto theirs = acquire(their_watch, of_life(kTheirs, second));
    ASSERT_TRUE(theirs);
    EXPECT_EQ((*stopped)->renew(3), Code::kOverloaded);
    EXPECT_TRUE((*stopped)->lost());
    (*stopped)->release(3);
    EXPECT_TRUE((*theirs)->renew(0));
    EXPECT_EQ(records(), 1u);
  }
}
TEST_P(AWriterLease, IsLostByAHolderThatWasStoppedInARenewalWhenTheCollectionIsMadeAgain) {
  for (const auto& [first, second] : kLives) {
    SCOPED_TRACE(first);
    remove_collection();
    const auto stopped = acquire(our_watch, of_life(kOurs, first));
    std::unique_ptr<WriterLease> theirs;
    place.before_rewrite = [&, life = second] {
      clock.advance(seconds(60));
      remove_collection();
      theirs = acquire(their_watch, of_life(kTheirs, life)).value();
    };
    EXPECT_EQ((*stopped)->renew(3), Code::kOverloaded);
    EXPECT_TRUE((*stopped)->lost());
    EXPECT_TRUE(theirs->renew(0));  // though the other one has put its record back
    EXPECT_FALSE(theirs->lost());
    EXPECT_EQ((*acquire(their_watch, kTheirs))->epoch(), first_epoch(second) + 1);
  }
}
TEST_P(AWriterLease, IsLostByAHolderThatWasStoppedInARenewalWhenTheCollectionIsRemoved) {
  const auto stopped = acquire(our_watch, kOurs);
  place.before_rewrite = [&] {
    clock.advance(seconds(60));
    remove_collection();
  };
  EXPECT_EQ((*stopped)->renew(3), Code::kOverloaded);
  EXPECT_TRUE((*stopped)->lost());
  EXPECT_EQ(place.newest().value(), std::nullopt);
}
TEST_P(AWriterLease, IsNotTakenFromARecordOfAnotherLife) {
  const auto stopped = acquire(our_watch, of_life(kOurs, 9));
  remove_collection();
  // It comes back, with what its holder had accepted; that has stopped again.
  put_record(of_other_life);
  EXPECT_EQ(acquire(their_watch, of_life(kTheirs, 7)), Code::kOverloaded);
  clock.advance(seconds(10));
  const auto theirs = acquire(their_watch, of_life(kTheirs, 7));
  ASSERT_TRUE(theirs) << theirs.error().message();
  EXPECT_EQ((*theirs)->epoch(), first_epoch(7));
  EXPECT_EQ(before, std::nullopt);
  EXPECT_EQ(records(), 1u);
  put_record(of_other_life);
  EXPECT_TRUE((*theirs)->renew(0));
  const auto refused = acquire(our_watch, kOurs);
  EXPECT_EQ(refused, Code::kOverloaded);
  EXPECT_NE(refused.error().message().find(std::to_string(first_epoch(7))), std::string::npos);
}
TEST_P(AWriterLease, IsNotBegunByTwoAtOnce) {
  for (const std::uint64_t life : {7, 11}) {
    SCOPED_TRACE(life);
    remove_collection();
    LeaseWatch watch;
    // The other one has put its record, and CURRENT does not have its epoch yet.
    place.before_take = [&] { put_record(of_other_life); };
    EXPECT_EQ(acquire(watch, of_life(kTheirs, life)), Code::kOverloaded);
    EXPECT_EQ(place.newest().value()->epoch, of_other_life.epoch);
    EXPECT_EQ(acquire(watch, of_life(kTheirs, life)), Code::kOverloaded);
    clock.advance(seconds(10));  // it has died
    EXPECT_EQ((*acquire(watch, of_life(kTheirs, life)))->epoch(), first_epoch(life));
    EXPECT_EQ(records(), 1u);
  }
}
TEST_P(AWriterLease, GoesOnInTheLifeOfCurrentIfTheRecordsAreGone) {
  const auto ours = acquire(our_watch, of_life(kOurs, 7));
  ASSERT_TRUE(place.remove((*ours)->epoch()));
  const auto theirs = acquire(their_watch, of_life(kTheirs, 9));
  ASSERT_TRUE(theirs);
  EXPECT_EQ((*theirs)->epoch(), first_epoch(7) + 1);
}
TEST_P(AWriterLease, IsNotTakenByOneThatWasStoppedWhileItTookItInAnEarlierLife) {
  for (const auto& [first, second] : kLives) {
    SCOPED_TRACE(first);
    for (const bool has_holder : {false, true}) {
      remove_collection();
      if (has_holder) (*acquire(our_watch, of_life(kOurs, first)))->release(0);
      std::unique_ptr<WriterLease> ours;
      place.before_take = [&, life = second] {
        remove_collection();
        ours = acquire(our_watch, of_life(kOurs, life)).value();
      };
      LeaseWatch watch;
      EXPECT_EQ(acquire(watch, of_life(kTheirs, first)), Code::kOverloaded);
      EXPECT_TRUE(ours->renew(0));
      EXPECT_EQ(records(), 1u);
      EXPECT_EQ(place.current_epoch(), first_epoch(second));
    }
  }
}
TEST(AnEpoch, FollowsInItsLifeAlone) {
  EXPECT_TRUE(may_follow(9, 8));  // of older versions
  for (const std::uint64_t life : {0, 7}) {
    EXPECT_TRUE(may_follow(first_epoch(life), 0));
    EXPECT_FALSE(may_follow(first_epoch(life) + 1, 0));
    EXPECT_TRUE(may_follow(first_epoch(life) + 5, first_epoch(life)));
    EXPECT_FALSE(may_follow(first_epoch(life), first_epoch(life) + 1));
    EXPECT_FALSE(may_follow(first_epoch(9), first_epoch(life)));
    EXPECT_FALSE(may_follow(first_epoch(life), first_epoch(9)));
  }
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
