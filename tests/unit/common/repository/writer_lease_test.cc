// One service holds a collection's lease, the next one follows when it has ended, and a holder that was overtaken
// publishes nothing any more. Time is a clock that the test moves.
#include "common/repository/writer_lease.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>

#include "tests/support/collections/manual_clock.h"
#include "tests/support/manifests.h"
#include "tests/support/objects/object_server.h"
#include "tests/support/scratch_folder.h"

namespace frond::repository {
namespace {
using std::chrono::milliseconds;
using std::chrono::seconds;
using support::Fault;

const LeaseTerms kOurs{"ours", seconds(10)}, kTheirs{"theirs", seconds(10)}, kAny{"theirs", seconds(10), true};

// Records in memory.
class MemoryPlace final : public LeasePlace {
 public:
  Result<std::optional<Found>> newest() const override {
    if (down) return Error(Code::kUnavailable, "down");
    if (records.empty()) return std::optional<Found>();
    return std::optional<Found>({records.rbegin()->first, records.rbegin()->second});
  }
  Result<bool> take(std::uint64_t epoch, const std::string& text, const std::optional<Found>& last) override {
    if (before_take) before_take();
    if (!records.empty() && records.rbegin()->first >= epoch) return false;
    records[epoch] = text;
    if (!last || records[last->epoch] == last->text) return true;
    records.erase(epoch);
    return false;
  }
  Result<void> rewrite(std::uint64_t epoch, const std::string& text) override {
    if (before_rewrite) before_rewrite();
    records[epoch] = text;
    return {};
  }
  Result<void> remove(std::uint64_t epoch) override {
    records.erase(epoch);
    return {};
  }
  std::map<std::uint64_t, std::string> records;
  bool down = false;
  std::function<void()> before_take, before_rewrite;
};

class AWriterLease : public testing::Test {
 protected:
  Result<std::unique_ptr<WriterLease>> acquire(LeaseWatch& watch, const LeaseTerms& terms) {
    return WriterLease::acquire(place, watch, terms, clock, [this](const std::optional<LeaseRecord>& last) {
      before = last;
      return Result<void>();
    });
  }
  support::ManualClock clock;
  MemoryPlace place;
  LeaseWatch our_watch, their_watch;
  std::optional<LeaseRecord> before;
};

TEST_F(AWriterLease, IsHeldByOne) {
  const auto ours = acquire(our_watch, kOurs);
  ASSERT_TRUE(ours);
  EXPECT_EQ((*ours)->epoch(), 1u);
  EXPECT_TRUE((*ours)->expect_held());
  EXPECT_EQ(acquire(their_watch, kAny), Code::kOverloaded);
}
TEST_F(AWriterLease, LastsAsLongAsItIsRenewed) {
  const auto ours = acquire(our_watch, kOurs);
  for (int i = 0; i < 50; ++i) {
    clock.advance((*ours)->renew_every());
    ASSERT_TRUE((*ours)->renew(3));
    EXPECT_TRUE((*ours)->expect_held());
    EXPECT_EQ(acquire(their_watch, kAny), Code::kOverloaded);
  }
}
TEST_F(AWriterLease, IsInDoubtBeforeAnotherMayTakeIt) {
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
TEST_F(AWriterLease, GoesOnAfterADoubtIfNobodyTookIt) {
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
TEST_F(AWriterLease, IsLostForGoodOnceAnotherTookIt) {
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
  EXPECT_EQ(place.records.size(), 1u);
}
TEST_F(AWriterLease, StaysWithAHolderThatRenewsWhileAnotherTakesIt) {
  const auto ours = acquire(our_watch, kOurs);
  EXPECT_FALSE(acquire(their_watch, kAny));
  clock.advance(seconds(10));
  place.before_take = [&] { EXPECT_TRUE((*ours)->renew(0)); };
  EXPECT_EQ(acquire(their_watch, kAny), Code::kOverloaded);
  EXPECT_TRUE((*ours)->renew(0));
  EXPECT_EQ(place.records.size(), 1u);
}
TEST_F(AWriterLease, IsLostByAHolderThatRenewsJustAfterAnotherTookIt) {
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
TEST_F(AWriterLease, IsTakenAtOnceByWhoeverHasTheLog) {
  const auto dead = acquire(our_watch, kOurs);
  LeaseWatch fresh;
  const auto again = acquire(fresh, kOurs);
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->epoch(), 2u);
  EXPECT_EQ(before->log, "ours");
  EXPECT_FALSE((*again)->taken_from());
}
TEST_F(AWriterLease, StaysWhereTheUnpublishedChangesAre) {
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
TEST_F(AWriterLease, IsFreeForAllIfItsHolderLeftNothing) {
  (*acquire(our_watch, kOurs))->release(0);
  const auto theirs = acquire(their_watch, kTheirs);
  ASSERT_TRUE(theirs);
  EXPECT_EQ((*theirs)->epoch(), 2u);
  (*theirs)->release(4);
  EXPECT_EQ(acquire(our_watch, kOurs), Code::kUnavailable);
  EXPECT_TRUE(acquire(their_watch, kTheirs));
}
TEST_F(AWriterLease, IsNotTakenIfWhatComesBeforeFails) {
  const auto failed = WriterLease::acquire(place, our_watch, kOurs, clock,
                                           [](const auto&) { return Result<void>(Error(Code::kCorrupt, "a test's")); });
  EXPECT_EQ(failed, Code::kCorrupt);
  EXPECT_TRUE(place.records.empty());
}
TEST(LeaseRecords, AreReadAsTheyWereWritten) {
  const LeaseRecord record{7, "host process 1", "0123456789abcdef", 15000, 3, 9, true};
  EXPECT_EQ(lease_record_from_json(to_json(record)), record);
  for (const char* wrong :
       {"", "[]", "{}", "\xff", R"({"epoch":1})", R"({"epoch":-1,"holder":"","log":"x","length_ms":1,)"})
    EXPECT_EQ(lease_record_from_json(wrong), Code::kCorrupt) << wrong;
}

// Over an object store: what is published, and by whom.
class AFencedRepository : public testing::TestWithParam<bool> {
 protected:
  AFencedRepository() : server({.conditions = GetParam()}) {
    std::ofstream(folder / "credentials") << "aws_access_key_id = test-key-id\naws_secret_access_key = test-secret\n";
  }
  ObjectWriting writing(const std::string& machine, std::uint64_t epoch = 0) const {
    ObjectWriting how;
    how.scratch = folder / machine;
    how.epoch = epoch;
    if (const auto found = memories.find(machine); epoch != 0 && found != memories.end()) how.memory = found->second;
    how.access.endpoint = server.url();
    how.access.credentials_file = folder / "credentials";
    how.access.retries.first_pause = milliseconds(1);
    how.access.retries.longest_pause = milliseconds(5);
    return how;
  }
  std::unique_ptr<WriterLease> lease(const std::string& machine) {
    auto& place = places[machine];
    place = open_lease_place("s3://bucket", "example", writing(machine)).value();
    LeaseTerms terms{machine, seconds(10), true};
    auto taken =
        WriterLease::acquire(*place, watches[machine], terms, clock, [](const auto&) { return Result<void>(); });
    EXPECT_TRUE(taken) << taken.error().message();
    return *std::move(taken);
  }
  Result<Generation> publish(const std::string& machine, std::uint64_t epoch,
                             std::function<void(std::string_view)> before_step = {}) {
    const auto writer =
        FROND_TRY(RepositoryWriter::open("s3://bucket", "example", std::move(before_step), writing(machine, epoch)));
    const Generation generation = writer->next_generation();
    const auto manifest = support::write_example_generation(writer->building(), generation, 1);
    FROND_TRY(writer->publish(manifest, writer->building() / manifest.term_statistics.name));
    return generation;
  }
  std::string current() const { return server.objects().at("example/CURRENT").bytes; }
  support::ScratchFolder folder;
  support::ObjectServer server;
  support::ManualClock clock;
  std::map<std::string, std::unique_ptr<LeasePlace>> places;
  std::map<std::string, LeaseWatch> watches;
  std::map<std::string, std::shared_ptr<ObjectMemory>> memories;  // of services that have one
};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutConditions, AFencedRepository, testing::Bool());

TEST_P(AFencedRepository, HasTheEpochOfItsWriter) {
  const auto first = lease("a");
  EXPECT_EQ(current(), "0 1\n");
  const auto source = RepositorySource::open("s3://bucket", "example", {}, writing("a").access).value();
  EXPECT_EQ(source->current(), Code::kNotFound);
  EXPECT_EQ(publish("a", first->epoch()), 1u);
  EXPECT_EQ(current(), "1 1\n");
  EXPECT_EQ(source->current(), 1u);
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
TEST_P(AFencedRepository, IsAskedForLittleByAServiceThatRemembers) {
  const auto first = lease("a");
  memories["a"] = std::make_shared<ObjectMemory>();
  ASSERT_EQ(publish("a", 1), 1u);
  EXPECT_EQ(memories["a"]->known() != nullptr, GetParam());  // it is the condition that makes a memory safe
  const std::size_t before = server.requests().size();
  ASSERT_EQ(publish("a", 1), 2u);
  EXPECT_EQ(current(), "2 1\n");
  const auto requests = server.requests();
  std::size_t files = 0;
  for (const auto& [key, object] : server.objects()) files += key.find("g2-p0") != key.npos ? 1 : 0;
  // The lease is written, looked at and removed; CURRENT is read and replaced; term statistics and a manifest are put.
  if (GetParam()) {
    EXPECT_EQ(requests.size() - before, files + 7);
  }
}
TEST_P(AFencedRepository, IsReadAgainByAServiceThatRemembersAfterACommand) {
  const auto first = lease("a");
  memories["a"] = std::make_shared<ObjectMemory>();
  ASSERT_EQ(publish("a", 1), 1u);
  EXPECT_EQ(publish("command", 0), 2u);
  EXPECT_EQ(publish("a", 1), 3u);
  EXPECT_EQ(publish("a", 1), 4u);
  const auto source = RepositorySource::open("s3://bucket", "example", {}, writing("a").access).value();
  EXPECT_EQ(source->manifest(3)->previous, 2u);
  EXPECT_EQ(source->manifest(4)->previous, 3u);
  EXPECT_EQ(RepositoryWriter::open("s3://bucket", "example", {}, writing("a", 1)).value()->rollback(), 3u);
  EXPECT_EQ(publish("a", 1), 5u);
  EXPECT_EQ(source->manifest(5)->previous, 3u);
  EXPECT_EQ(current(), "5 1\n");
  const auto pruned = RepositoryWriter::open("s3://bucket", "example", {}, writing("a", 1)).value()->prune(1);
  EXPECT_TRUE(pruned) << pruned.error().message();
  EXPECT_EQ(source->manifest(4), Code::kNotFound);
  EXPECT_TRUE(source->manifest(3));
}
TEST_P(AFencedRepository, TakesNothingOfWhatIsRememberedAndIsNoMore) {
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
TEST_P(AFencedRepository, IsWholeWhicheverRequestOfAServiceThatRemembersFails) {
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
  auto& place = *places["a"];
  const LeasePlace::Found old{1, "what was seen before"};
  EXPECT_EQ(place.take(2, "another", old), false);
  EXPECT_EQ(place.newest().value()->epoch, 1u);
  EXPECT_EQ(current(), "0 1\n");
  EXPECT_TRUE(first->renew(0));
}
TEST_P(AFencedRepository, IsTakenOverWhicheverRequestFails) {
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
