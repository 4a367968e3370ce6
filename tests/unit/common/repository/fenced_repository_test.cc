// What is published of a collection that is written with a lease, and by whom: by nobody any more whose epoch has
// ended.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>

#include "tests/support/collections/manual_clock.h"
#include "tests/unit/common/repository/leased_repository.h"

namespace frond::repository {
namespace {
using std::chrono::seconds;
using support::Fault;

class AFencedRepository : public testing::TestWithParam<Kind>, public LeasedRepository {
 protected:
  AFencedRepository() : LeasedRepository(GetParam()) {}
  Result<std::unique_ptr<WriterLease>> acquire(const std::string& machine) {
    auto& there = places[machine];
    there = place(machine);
    const LeaseTerms terms{machine, seconds(10), true, life};
    return WriterLease::acquire(*there, watches[machine], terms, clock,
                                [](const auto&, std::uint64_t) { return Result<void>(); });
  }
  std::unique_ptr<WriterLease> lease(const std::string& machine) {
    auto taken = acquire(machine);
    EXPECT_TRUE(taken) << taken.error().message();
    return *std::move(taken);
  }
  std::uint64_t life = 0;  // with epochs from 1
  support::ManualClock clock;
  std::map<std::string, std::unique_ptr<LeasePlace>> places;
  std::map<std::string, LeaseWatch> watches;
};
INSTANTIATE_TEST_SUITE_P(EveryPlace, AFencedRepository,
                         testing::Values(Kind::kDirectory, Kind::kConditions, Kind::kNoConditions),
                         [](const auto& param) { return name_of(param.param); });

class AFencedBucket : public AFencedRepository {};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutConditions, AFencedBucket,
                         testing::Values(Kind::kConditions, Kind::kNoConditions),
                         [](const auto& param) { return name_of(param.param); });

TEST_P(AFencedRepository, HasTheEpochOfItsWriter) {
  const auto first = lease("a");
  EXPECT_EQ(current(), "0 1\n");
  const auto reader = source();
  EXPECT_EQ(reader->current(), Code::kNotFound);
  EXPECT_EQ(publish("a", first->epoch()), 1u);
  EXPECT_EQ(current(), "1 1\n");
  EXPECT_EQ(reader->current(), 1u);
  EXPECT_EQ(publish("command", 0), 2u);  // a command publishes in any epoch, and keeps it
  EXPECT_EQ(current(), "2 1\n");
}
TEST_P(AFencedRepository, TakesNothingFromAnEpochThatEnded) {
  const auto first = lease("a");
  ASSERT_EQ(publish("a", first->epoch()), 1u);
  first->release(0);
  const auto second = lease("b");
  EXPECT_EQ(second->epoch(), 2u);
  EXPECT_EQ(publish("a", 1), Code::kUnavailable);
  EXPECT_EQ(current(), "1 2\n");
  EXPECT_EQ(publish("b", 2), 2u);
  EXPECT_EQ(publish("a", 1), Code::kUnavailable);
  EXPECT_EQ(current(), "2 2\n");
}
TEST_P(AFencedRepository, RefusesAWriterThatWasOvertakenInTheMiddleOfPublishing) {
  const auto first = lease("a");
  ASSERT_EQ(publish("a", 1), 1u);
  first->release(0);
  std::unique_ptr<WriterLease> second;
  // As if the first writer was stopped just before it looks at CURRENT for the last time.
  const auto overtaken = publish("a", 1, [&](std::string_view step) {
    if (step != "manifest" || second) return;
    for (const auto& [key, object] : server.objects())  // it is silent for longer than its right to write lasts
      if (key.starts_with("example/writers/")) server.put(key, object.bytes, 3600);
    second = lease("b");
  });
  EXPECT_FALSE(overtaken);
  EXPECT_EQ(current(), "1 2\n");
  EXPECT_TRUE(publish("b", 2));
}
TEST_P(AFencedRepository, TakesNothingFromAnEarlierLife) {
  for (const bool remembers : {false, true}) {
    life = 9;
    const auto first = lease("a");
    ASSERT_EQ(publish("a", first->epoch()), 1u);
    if (remembers) memories["a"] = std::make_shared<ObjectMemory>();
    std::unique_ptr<WriterLease> second;
    // Stopped just before CURRENT is replaced, while the collection is removed, made again, and has as many
    // generations.
    const auto late = publish("a", first->epoch(), [&](std::string_view step) {
      // Without conditions the last look at CURRENT is before this step.
      if (step != (GetParam() == Kind::kNoConditions ? "manifest" : "CURRENT") || second) return;
      remove_collection();
      life = 7;
      second = lease("b");
      EXPECT_EQ(publish("b", second->epoch()), 1u);
    });
    EXPECT_FALSE(late);
    EXPECT_EQ(current(), "1 " + std::to_string(first_epoch(7)) + "\n");
    EXPECT_FALSE(publish("a", first->epoch()));
    EXPECT_TRUE(publish("b", second->epoch()));
    remove_collection();
  }
}
TEST_P(AFencedBucket, IsAskedForLittleByAServiceThatRemembers) {
  const auto first = lease("a");
  memories["a"] = std::make_shared<ObjectMemory>();
  ASSERT_EQ(publish("a", 1), 1u);
  EXPECT_EQ(memories["a"]->known() != nullptr,
            GetParam() == Kind::kConditions);  // it is the condition that makes a memory safe
  const std::size_t before = server.requests().size();
  ASSERT_EQ(publish("a", 1), 2u);
  EXPECT_EQ(current(), "2 1\n");
  const auto requests = server.requests();
  std::size_t files = 0;
  for (const auto& [key, object] : server.objects()) files += key.find("g2-p0") != key.npos ? 1 : 0;
  // The lease is written, looked at and removed; CURRENT is read and replaced; term statistics and a manifest are put.
  if (GetParam() == Kind::kConditions) {
    EXPECT_EQ(requests.size() - before, files + 7);
  }
}
TEST_P(AFencedBucket, IsReadAgainByAServiceThatRemembersAfterACommand) {
  const auto first = lease("a");
  memories["a"] = std::make_shared<ObjectMemory>();
  ASSERT_EQ(publish("a", 1), 1u);
  EXPECT_EQ(publish("command", 0), 2u);
  EXPECT_EQ(publish("a", 1), 3u);
  EXPECT_EQ(publish("a", 1), 4u);
  const auto reader = source();
  EXPECT_EQ(reader->manifest(3)->previous, 2u);
  EXPECT_EQ(reader->manifest(4)->previous, 3u);
  EXPECT_EQ(writer("a", 1).value()->rollback(), 3u);
  EXPECT_EQ(publish("a", 1), 5u);
  EXPECT_EQ(reader->manifest(5)->previous, 3u);
  EXPECT_EQ(current(), "5 1\n");
  const auto pruned = writer("a", 1).value()->prune(1);
  EXPECT_TRUE(pruned) << pruned.error().message();
  EXPECT_EQ(reader->manifest(4), Code::kNotFound);
  EXPECT_TRUE(reader->manifest(3));
}
TEST_P(AFencedBucket, TakesNothingOfWhatIsRememberedAndIsNoMore) {
  const auto first = lease("a");
  memories["a"] = std::make_shared<ObjectMemory>();
  ASSERT_EQ(publish("a", 1), 1u);
  const auto overtaken = publish("a", 1, [&](std::string_view step) {
    if (step == "manifest") server.put("example/CURRENT", "1 2\n");
  });
  EXPECT_FALSE(overtaken);
  EXPECT_EQ(current(), "1 2\n");
  EXPECT_EQ(memories["a"]->known(), nullptr);
  EXPECT_EQ(publish("a", 1), Code::kUnavailable);
  server.put("example/CURRENT", "1 1\n");
  EXPECT_EQ(publish("a", 1), 3u);
}
TEST_P(AFencedBucket, IsWholeWhicheverRequestOfAServiceThatRemembersFails) {
  const auto first = lease("a");
  memories["a"] = std::make_shared<ObjectMemory>();
  ASSERT_EQ(publish("a", 1), 1u);
  for (const Fault fault : {Fault::kError500, Fault::kLostBefore, Fault::kLostAfter}) {
    for (int failing = 0; failing < 14; ++failing) {
      const auto request = std::make_shared<std::atomic<int>>(0);
      server.set_faults([request, failing, fault](const support::SeenRequest&) {
        return (*request)++ == failing ? fault : Fault::kNone;
      });
      const auto published = publish("a", 1);
      server.set_faults({});
      ASSERT_TRUE(published) << "request " << failing << ": " << published.error().message();
      EXPECT_EQ(current(), std::to_string(*published) + " 1\n");
    }
  }
}
TEST_P(AFencedRepository, KeepsItsWriterIfThatRenewsInBetween) {
  const auto first = lease("a");
  auto& there = *places["a"];
  const LeasePlace::Found old{1, "what was seen before"};
  EXPECT_EQ(there.take({.epoch = 2, .holder = "another", .log = "b", .length_ms = 10'000}, old), false);
  EXPECT_EQ(there.newest().value()->epoch, 1u);
  EXPECT_EQ(current(), "0 1\n");
  EXPECT_TRUE(first->renew(0));
}
TEST_P(AFencedBucket, IsTakenOverWhicheverRequestFails) {
  for (const Fault fault : {Fault::kError500, Fault::kLostBefore, Fault::kLostAfter}) {
    for (int failing = 0; failing < 12; ++failing) {
      const auto before = lease("a");
      before->release(0);
      const auto request = std::make_shared<std::atomic<int>>(0);
      server.set_faults([request, failing, fault](const support::SeenRequest&) {
        return (*request)++ == failing ? fault : Fault::kNone;
      });
      const auto next = lease("b");
      server.set_faults({});
      EXPECT_EQ(next->epoch(), before->epoch() + 1);
      EXPECT_EQ(current(), "0 " + std::to_string(next->epoch()) + "\n");
      next->release(0);
    }
  }
}

}  // namespace
}  // namespace frond::repository
