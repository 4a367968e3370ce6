// A repository in an object store: what the one in a folder does, under faults, beside other writers, and with stores
// that know no conditional writes.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "common/repository/files.h"
#include "common/repository/leases/writer_lease.h"
#include "common/repository/repository.h"
#include "tests/support/manifests.h"
#include "tests/support/objects/object_server.h"
#include "tests/support/scratch_folder.h"

namespace {
std::atomic<long> suspended_seconds{0};  // of this machine, as the test has it
}  // namespace
// In place of the C library's.
extern "C" int clock_gettime(clockid_t clock, timespec* at) noexcept {
  const long failed = syscall(SYS_clock_gettime, clock, at);
  if (failed == 0 && clock == CLOCK_BOOTTIME) at->tv_sec += suspended_seconds;
  return static_cast<int>(failed);
}

namespace frond::repository {
namespace {
namespace fs = std::filesystem;
using support::Fault;
using support::ObjectServer;
using support::SeenRequest;

class AnObjectRepository : public testing::TestWithParam<bool> {
 protected:
  AnObjectRepository() : server_({.conditions = GetParam()}) {
    std::ofstream(folder_ / "credentials") << "aws_access_key_id = test-key-id\naws_secret_access_key = test-secret\n";
    how_.scratch = folder_ / "scratch";
    how_.access.endpoint = server_.url();
    how_.access.credentials_file = folder_ / "credentials";
    how_.access.window = std::chrono::seconds(1);
    how_.access.retries.first_pause = std::chrono::milliseconds(1);
    how_.access.retries.longest_pause = std::chrono::milliseconds(5);
  }
  Result<std::unique_ptr<RepositoryWriter>> open(std::function<void(std::string_view)> before_step = {}) {
    return RepositoryWriter::open("s3://bucket/prefix", "example", std::move(before_step), how_);
  }
  Result<Generation> publish_in(RepositoryWriter& writer) {
    const Generation generation = writer.next_generation();
    const auto manifest = support::write_example_generation(writer.building(), generation, 2);
    FROND_TRY(writer.publish(manifest, writer.building() / manifest.term_statistics.name));
    return generation;
  }
  Result<Generation> publish_next() {
    const auto writer = FROND_TRY(open());
    return publish_in(*writer);
  }
  // Fetches every file of the current generation, which verifies it.
  Result<Generation> read() {
    const auto source = FROND_TRY(RepositorySource::open("s3://bucket/prefix", "example", {}, how_.access));
    const Generation generation = FROND_TRY(source->current());
    const Manifest manifest = FROND_TRY(source->manifest(generation));
    FROND_TRY(source->fetch(term_statistics_path(generation), manifest.term_statistics, folder_ / "terms"));
    for (const auto& entry : manifest.partitions)
      for (const auto& file : entry.summary.files)
        FROND_TRY(source->fetch(partition_file_path(entry, file), file, folder_ / file.name));
    return generation;
  }
  void remove_all() {
    for (const auto& [key, object] : server_.objects()) server_.remove(key);
  }
  std::size_t count(const std::string& part) const {
    std::size_t found = 0;
    for (const auto& [key, object] : server_.objects()) found += key.find(part) != key.npos ? 1 : 0;
    return found;
  }
  support::ScratchFolder folder_;
  ObjectServer server_;
  ObjectWriting how_;
};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutConditions, AnObjectRepository, testing::Bool());

TEST_P(AnObjectRepository, GivesTheGenerationThatWasPublishedLast) {
  EXPECT_EQ(read(), Code::kNotFound);
  const auto first = publish_next();
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_EQ(*first, 1u);
  EXPECT_EQ(read(), 1u);
  EXPECT_EQ(publish_next(), 2u);
  EXPECT_EQ(read(), 2u);
  EXPECT_EQ(server_.refused(), "");
  EXPECT_EQ(count("/writers/"), 0u);
}

// ADR 48.
TEST_P(AnObjectRepository, BeginsALifeWithItsFirstGeneration) {
  const auto epoch = [&] {
    return parse_current_line(server_.objects().at("prefix/example/CURRENT").bytes).value().epoch;
  };
  ASSERT_EQ(publish_next(), 1u);
  const std::uint64_t first = epoch();
  EXPECT_NE(life_of(first), 0u);
  EXPECT_EQ(first, before_first_epoch(life_of(first)));
  EXPECT_TRUE(may_follow(first_epoch(life_of(first)), first));
  ASSERT_EQ(publish_next(), 2u);
  EXPECT_EQ(epoch(), first);
  EXPECT_EQ((*open())->rollback(), 1u);
  EXPECT_EQ(epoch(), first);
  remove_all();
  ASSERT_EQ(publish_next(), 1u);
  EXPECT_NE(epoch(), first);
}

TEST_P(AnObjectRepository, KeepsNoLifeWhereItHasNone) {  // of a version before
  server_.put("prefix/example/CURRENT", "1\n");
  ASSERT_EQ(publish_next(), 2u);
  EXPECT_EQ(server_.objects().at("prefix/example/CURRENT").bytes, "2\n");
}

TEST_P(AnObjectRepository, IsNotReplacedByAWriterOfACollectionThatWasRemoved) {
  ASSERT_EQ(publish_next(), 1u);
  ASSERT_EQ(publish_next(), 2u);
  bool removed = false;
  // Without conditions, only what is before the last look at CURRENT can be seen.
  const auto writer = open([&](std::string_view step) {
    if (step != (GetParam() ? "CURRENT" : "manifest") || std::exchange(removed, true)) return;
    remove_all();
    how_.scratch = folder_ / "another";
    ASSERT_EQ(publish_next(), 1u);
    ASSERT_EQ(publish_next(), 2u);
  });
  EXPECT_EQ(publish_in(**writer), Code::kUnavailable);
  EXPECT_TRUE(removed);
  EXPECT_EQ(read(), 2u);
}

TEST_P(AnObjectRepository, GivesRangesOfFiles) {
  ASSERT_EQ(publish_next(), 1u);
  const auto source = RepositorySource::open("s3://bucket/prefix", "example", {}, how_.access).value();
  const std::string path = "partitions/g1-p0-00/terms-0.sst";
  const std::string whole = server_.objects().at("prefix/example/" + path).bytes;
  EXPECT_EQ(as_text(source->read(path, 0, whole.size()).value()), whole);
  EXPECT_EQ(as_text(source->read(path, 2, 3).value()), whole.substr(2, 3));
  EXPECT_EQ(source->read(path, whole.size() - 1, 2).error().code(), Code::kCorrupt);
}

TEST_P(AnObjectRepository, RollsBackAndNeverReusesANumber) {
  ASSERT_EQ(publish_next(), 1u);
  ASSERT_EQ(publish_next(), 2u);
  EXPECT_EQ((*open())->rollback(), 1u);
  EXPECT_EQ(read(), 1u);
  EXPECT_EQ((*open())->rollback(), Code::kNotFound);
  EXPECT_EQ(publish_next(), 3u);
  EXPECT_EQ(read(), 3u);
}

TEST_P(AnObjectRepository, PrunesWhatNoGenerationNames) {
  for (Generation g = 1; g <= 3; ++g) ASSERT_EQ(publish_next(), g);
  const std::size_t before = server_.objects().size();
  const auto pruned = (*open())->prune(1);
  ASSERT_TRUE(pruned) << pruned.error().message();
  EXPECT_EQ(count("generations/1."), 0u);
  EXPECT_EQ(count("partitions/"), (before - 1) / 3 * 2 - 4);
  EXPECT_EQ(count("generations/"), 4u);
  EXPECT_EQ(read(), 3u);
  EXPECT_EQ((*open())->rollback(), 2u);
  EXPECT_EQ(read(), 2u);
}

TEST_P(AnObjectRepository, IsPrunedByReadingEachManifestOnceAndSeveralAtATime) {
  for (Generation g = 1; g <= 9; ++g) ASSERT_EQ(publish_next(), g);
  const std::size_t before = server_.requests().size();
  const auto writer = open();
  std::mutex mutex;
  std::map<std::string, unsigned> read;
  unsigned now = 0, most = 0;
  server_.set_faults([&](const SeenRequest& request) {
    const bool manifest = request.method == "GET" && request.key.ends_with(".json");
    if (!manifest) return Fault::kNone;
    {
      const std::lock_guard lock(mutex);
      ++read[request.key];
      most = std::max(most, ++now);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // a store's time for a request
    const std::lock_guard lock(mutex);
    --now;
    return Fault::kNone;
  });
  const auto pruned = (*writer)->prune(2);
  server_.set_faults({});
  ASSERT_TRUE(pruned) << pruned.error().message();
  EXPECT_EQ(read.size(), 9u);
  for (const auto& [key, times] : read) EXPECT_EQ(times, 1u) << key;
  EXPECT_GT(most, 1u);
  EXPECT_LE(most, 4u);  // each may be large
  EXPECT_EQ(count("generations/"), 6u);
  const auto requests = server_.requests();
  EXPECT_EQ(std::count_if(requests.begin() + static_cast<std::ptrdiff_t>(before), requests.end(),
                          [](const SeenRequest& request) {
                            const auto prefix = request.query.find("prefix");
                            return prefix != request.query.end() && prefix->second == "prefix/example/generations/";
                          }),
            1)
      << "lists of generations/, opening included";
}

TEST_P(AnObjectRepository, HasOneWriterAtATime) {
  const auto writer = open();
  ASSERT_TRUE(writer) << writer.error().message();
  how_.scratch = folder_ / "elsewhere";
  const auto second = open();
  ASSERT_EQ(second, Code::kOverloaded);
  EXPECT_NE(second.error().message().find("another writer of this collection is running"), std::string::npos);
  EXPECT_EQ(count("/writers/"), 1u);
  EXPECT_EQ(publish_in(**writer), 1u);
  EXPECT_EQ(read(), 1u);
}

TEST_P(AnObjectRepository, TakesOverFromADeadWriter) {
  how_.access.lease = std::chrono::seconds(10);
  server_.put("prefix/example/writers/dead", "who", 13);
  EXPECT_EQ(publish_next(), 1u);
  EXPECT_EQ(count("/writers/"), 0u);
  server_.put("prefix/example/writers/alive", "who", 9);
  EXPECT_EQ(publish_next(), Code::kOverloaded);
}

TEST_P(AnObjectRepository, PublishesNothingWithoutItsLease) {
  how_.access.lease = std::chrono::seconds(1);
  const auto writer = open();
  ASSERT_TRUE(writer);
  for (const auto& [key, object] : server_.objects())
    if (key.find("/writers/") != key.npos)
      server_.set_faults(
          [](const SeenRequest& request) { return request.is("PUT", "/writers/") ? Fault::kError500 : Fault::kNone; });
  std::this_thread::sleep_for(std::chrono::milliseconds(800));
  const auto lost = publish_in(**writer);
  ASSERT_EQ(lost, Code::kUnavailable);
  EXPECT_NE(lost.error().message().find("the right to write"), std::string::npos) << lost.error().message();
  EXPECT_EQ(read(), Code::kNotFound);
}

TEST_P(AnObjectRepository, PublishesNothingIfTheMachineWasSuspendedForItsLease) {
  how_.access.lease = std::chrono::seconds(60);
  const auto writer = open();
  ASSERT_TRUE(writer);
  suspended_seconds += 31;
  const auto lost = publish_in(**writer);
  ASSERT_EQ(lost, Code::kUnavailable);
  EXPECT_NE(lost.error().message().find("the right to write may be lost"), std::string::npos) << lost.error().message();
  EXPECT_EQ(read(), Code::kNotFound);
}

TEST_P(AnObjectRepository, DoesNotReplaceWhatAnotherWriterPublished) {
  ASSERT_EQ(publish_next(), 1u);
  const auto writer = open([&](std::string_view step) {
    // A writer that was taken for dead, and woke up, as late as can be seen: without conditions that is before the
    // step.
    if (step == (GetParam() ? "CURRENT" : "manifest")) server_.put("prefix/example/CURRENT", "7\n");
  });
  ASSERT_TRUE(writer);
  const auto refused = publish_in(**writer);
  ASSERT_EQ(refused, Code::kUnavailable);
  EXPECT_NE(refused.error().message().find("another writer has replaced it"), std::string::npos)
      << refused.error().message();
  EXPECT_EQ(server_.objects().at("prefix/example/CURRENT").bytes, "7\n");
}

TEST_P(AnObjectRepository, RemovesWhatADeadWriterLeftWhenItIsOldEnough) {
  ASSERT_EQ(publish_next(), 1u);
  server_.set_faults(
      [](const SeenRequest& request) { return request.is("PUT", "/CURRENT") ? Fault::kLostBefore : Fault::kNone; });
  how_.access.retries.attempts = 2;
  const auto failed = publish_next();
  ASSERT_EQ(failed, Code::kUnavailable);
  EXPECT_NE(failed.error().message().find("is not known"), std::string::npos) << failed.error().message();
  server_.set_faults({});
  EXPECT_EQ(read(), 1u);
  EXPECT_GT(count("generations/2."), 0u);
  ASSERT_TRUE(open());  // it might still be alive
  EXPECT_GT(count("generations/2."), 0u);
  const std::size_t partitions = count("partitions/");
  server_.grow_older(25 * 3600);
  ASSERT_TRUE(open());
  EXPECT_EQ(count("generations/2."), 0u);
  EXPECT_EQ(count("partitions/"), partitions / 2);
  EXPECT_EQ(read(), 1u);
}

// After each request in turn fails, or is carried out without its answer: either it worked, or the generation of before
// is current; and the next publication works. (libcurl itself repeats a request whose old connection is lost.)
TEST_P(AnObjectRepository, IsWholeWhicheverRequestFails) {
  how_.access.retries.attempts = 1;
  ASSERT_EQ(publish_next(), 1u);
  Generation current = 1;
  int refused = 0;
  for (const Fault fault : {Fault::kError500, Fault::kLostAfter}) {
    for (int failing = 0, last = 100; failing < last; ++failing) {
      auto seen = std::make_shared<std::atomic<int>>(0);
      server_.set_faults([seen, failing, fault](const SeenRequest& request) {
        if (request.is("", "/writers/")) return Fault::kNone;
        return (*seen)++ == failing ? fault : Fault::kNone;
      });
      const auto published = publish_next();
      server_.set_faults({});
      if (*seen <= failing) last = 0;
      const auto whole = read();
      ASSERT_TRUE(whole) << failing << ": " << whole.error().message();
      refused += published ? 0 : 1;
      if (published)
        EXPECT_EQ(*whole, *published);
      else
        EXPECT_TRUE(*whole == current || fault == Fault::kLostAfter) << failing;
      EXPECT_GE(*whole, current);
      current = *whole;
      server_.grow_older(100'000);  // what is left is of dead writers
      ASSERT_TRUE((*open())->prune(0));
      EXPECT_EQ(count("/generations/"), 2u) << failing;
    }
  }
  EXPECT_GT(refused, 15);
  EXPECT_GT(publish_next().value(), current);
}

TEST_P(AnObjectRepository, PublishesAndReadsThroughManyFaults) {
  std::atomic<unsigned> seen = 0;
  how_.access.retries.attempts = 20;
  server_.set_faults([&](const SeenRequest&) {
    constexpr Fault kSome[] = {Fault::kNone,      Fault::kError500,    Fault::kTruncated, Fault::kNone,
                               Fault::kLostAfter, Fault::kSlowDown503, Fault::kNone,      Fault::kLostBefore,
                               Fault::kGarbage,   Fault::kNone};
    return kSome[seen++ % std::size(kSome)];
  });
  for (Generation g = 1; g <= 3; ++g) {
    const auto published = publish_next();
    ASSERT_TRUE(published) << published.error().message();
    EXPECT_EQ(*published, g);
    const auto whole = read();
    ASSERT_TRUE(whole) << whole.error().message();
    EXPECT_EQ(*whole, g);
  }
}

TEST_P(AnObjectRepository, FetchesOnceMoreWhatWasDamagedOnItsWay) {
  ASSERT_EQ(publish_next(), 1u);
  std::map<std::string, int> asked;
  server_.set_faults([&](const SeenRequest& request) {
    return request.is("GET", ".sst") && ++asked[request.key] == 1 ? Fault::kFlippedByte : Fault::kNone;
  });
  EXPECT_EQ(read(), 1u);
  EXPECT_FALSE(asked.empty());
  for (const auto& [key, times] : asked) EXPECT_EQ(times, 2) << key;
}

TEST_P(AnObjectRepository, TakesNoFileThatIsNotTheManifests) {
  ASSERT_EQ(publish_next(), 1u);
  server_.set_faults(
      [](const SeenRequest& request) { return request.is("GET", ".sst") ? Fault::kFlippedByte : Fault::kNone; });
  EXPECT_EQ(read(), Code::kCorrupt);
  EXPECT_FALSE(fs::exists(folder_ / "terms"));
  server_.set_faults({});
  EXPECT_EQ(read(), 1u);
}

TEST_P(AnObjectRepository, NeedsAScratchFolderAndRightNames) {
  EXPECT_EQ(RepositoryWriter::open("s3://bucket", "example"), Code::kInvalid);
  EXPECT_EQ(RepositorySource::open("s3://Bad", "example"), Code::kInvalid);
  EXPECT_EQ(RepositoryWriter::open("s3://bucket", "../x", {}, how_), Code::kInvalid);
}

}  // namespace
}  // namespace frond::repository
