// Every promise in list_store.h, checked on every store.
#include "leaf/lists/list_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "leaf/lists/cached_list_store.h"
#include "leaf/lists/partition_list_store.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/collections/memory_list_store.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::leaf {
namespace {

constexpr std::uint64_t kPartition = 7;

// The same documents in every store: "t0" is in all 3000 of them, "t1" in about half …
const std::vector<support::TestDocument>& documents() {
  static const auto all = support::random_documents(3000, /*seed=*/11);
  return all;
}
std::vector<DocId> docids_of(const std::string& term) {
  std::vector<DocId> docids;
  for (DocId docid = 0; docid < documents().size(); ++docid)
    if (documents()[docid].terms.contains(term)) docids.push_back(docid);
  return docids;
}

// Their partition, ingested once for all tests.
const std::filesystem::path& database() {
  static const support::ScratchFolder folder;
  static const auto path = [] {
    const auto summary = support::write_partition(documents(), folder / "files");
    FROND_CHECK(summary.has_value());
    FROND_CHECK(partition::Partition::ingest(folder / "files", summary->files, folder / "database", true).has_value());
    return folder / "database";
  }();
  return path;
}

// A store over a real partition, and what it needs to live.
struct Fixture {
  support::ManualClock clock;
  std::shared_ptr<const partition::Partition> partition;
  lists::PartitionListStore partitions{clock};
  support::MemoryListStore memory{clock};
  std::unique_ptr<lists::CachedListStore> cached;
  lists::ListStore* store = nullptr;
};

void open_partition(Fixture& fixture) {
  auto opened = partition::Partition::open(database());
  ASSERT_TRUE(opened.has_value()) << opened.error().message();
  fixture.partition = *std::move(opened);
  fixture.partitions.add(kPartition, fixture.partition);
}

void fill_memory(Fixture& fixture) {
  open_partition(fixture);
  for (int t = 0; t < 12; ++t) {
    const auto term = "t" + std::to_string(t);
    std::vector<ByteBuffer> segments;
    const auto list = fixture.partition->list(term);
    ASSERT_TRUE(list.has_value());
    for (const auto& segment : list->segments) segments.emplace_back(segment.bytes().begin(), segment.bytes().end());
    fixture.memory.add(kPartition, term, segments);
  }
}

struct Kind {
  const char* name;
  std::function<void(Fixture&)> make;
};
const Kind kKinds[] = {
    {"Partitions",
     [](Fixture& f) {
       open_partition(f);
       f.store = &f.partitions;
     }},
    {"InMemory",
     [](Fixture& f) {
       fill_memory(f);
       f.store = &f.memory;
     }},
    {"CacheOverPartitions",
     [](Fixture& f) {
       open_partition(f);
       f.cached = std::make_unique<lists::CachedListStore>(f.partitions, lists::CachedListStore::Options{1 << 20, 4});
       f.store = f.cached.get();
     }},
    {"CacheTooSmallForAnything",
     [](Fixture& f) {
       open_partition(f);
       f.cached = std::make_unique<lists::CachedListStore>(f.partitions, lists::CachedListStore::Options{100, 1});
       f.store = f.cached.get();
     }},
    {"CacheThatEvictsAllTheTime",
     [](Fixture& f) {
       open_partition(f);
       f.cached = std::make_unique<lists::CachedListStore>(f.partitions, lists::CachedListStore::Options{6000, 1});
       f.store = f.cached.get();
     }},
};

class EveryListStore : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    GetParam().make(fixture_);
    ASSERT_NE(fixture_.store, nullptr);
  }
  Result<std::vector<lists::ListLease>> fetch(const std::vector<std::string>& terms,
                                              Deadline deadline = Deadline::never()) {
    std::vector<lists::ListKey> keys;
    keys.reserve(terms.size());
    for (const auto& term : terms) keys.push_back({kPartition, term});
    return fixture_.store->fetch(keys, deadline);
  }
  Fixture fixture_;
};

void expect_list(const lists::ListLease& lease, const std::string& term) {
  const auto wanted = docids_of(term);
  ASSERT_NE(lease, nullptr);
  ASSERT_EQ(lease->postings.count(), wanted.size()) << term;
  std::vector<DocId> got;
  std::array<DocId, codec::kBlockLength> docids;
  for (std::uint32_t block = 0; block < lease->postings.blocks(); ++block) {
    ASSERT_TRUE(lease->postings.decode_docids(block, docids).has_value());
    got.insert(got.end(), docids.begin(), docids.begin() + lease->postings.block_size(block));
  }
  EXPECT_EQ(got, wanted) << term;
}

TEST_P(EveryListStore, GivesOneLeaseForEachKeyInTheOrderAsked) {
  const std::vector<std::string> terms{"t3", "t0", "t11", "t3"};
  for (int round = 0; round < 3; ++round) {
    const auto leases = fetch(terms);
    ASSERT_TRUE(leases.has_value()) << leases.error().message();
    ASSERT_EQ(leases->size(), terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i) expect_list((*leases)[i], terms[i]);
  }
}

TEST_P(EveryListStore, GivesAnEmptyListForATermThatThePartitionLacks) {
  for (int round = 0; round < 2; ++round) {
    const auto leases = fetch({"nobody", "t1"});
    ASSERT_TRUE(leases.has_value());
    EXPECT_EQ((*leases)[0]->postings.count(), 0u);
    expect_list((*leases)[1], "t1");
  }
}

TEST_P(EveryListStore, GivesNothingForNothing) { EXPECT_TRUE(fetch({})->empty()); }

TEST_P(EveryListStore, KeepsALeasesBytesInPlaceWhileItLives) {
  const auto first = *fetch({"t2"});
  for (int t = 0; t < 12; ++t) ASSERT_TRUE(fetch({"t" + std::to_string(t)}).has_value());
  fixture_.partitions.remove(kPartition);
  fixture_.partition.reset();
  if (fixture_.cached) fixture_.cached->invalidate(kPartition);
  expect_list(first[0], "t2");
}

TEST_P(EveryListStore, SaysWhenTheDeadlineHasPassed) {
  const auto deadline = Deadline::after(fixture_.clock, std::chrono::microseconds(10));
  fixture_.clock.advance(std::chrono::microseconds(11));
  EXPECT_EQ(fetch({"t4"}, deadline), Code::kDeadline);
}

TEST_P(EveryListStore, AnswersManyThreads) {
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 100; ++i) {
          const auto term = "t" + std::to_string((i * 7 + thread) % 12), other = "t" + std::to_string(i % 12);
          const auto leases = fetch({term, other});
          if (!leases || (*leases)[0]->postings.count() != docids_of(term).size() ||
              (*leases)[1]->postings.count() != docids_of(other).size())
            ++wrong;
          if (fixture_.cached && i % 17 == 0) fixture_.cached->invalidate(kPartition);
        }
      });
  }
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Stores, EveryListStore, testing::ValuesIn(kKinds),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace frond::leaf
