// Partitions read through a DocumentBlockCache: the same answers as without.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/partition/documents/document_block_cache.h"
#include "common/partition/partition.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::partition {
namespace {

constexpr std::uint32_t kCachedSeed = 20260101;
constexpr std::uint32_t kCachedDocuments = 2000;
constexpr DocId kLarge = 1234;  // of 3 MiB: only its front is read for showing

class ReadingThroughACache : public testing::Test {
 protected:
  void SetUp() override {
    auto documents = support::random_documents(kCachedDocuments, kCachedSeed);
    documents[kLarge].body = std::string(3 << 20, 'x');
    for (std::uint32_t i = 0; i < kCachedDocuments; ++i)
      documents[i].body += std::string(i % 100 ? i % 1500 : i * 40, 'y');
    summary_ = support::write_partition(documents, files()).value();
  }
  std::filesystem::path files() const { return scratch_ / "files"; }
  // Ingests the files anew and opens the partition, with and without the cache. `damages`: bytes of the stored fields
  // that are damaged before it is opened.
  void open(const std::shared_ptr<DocumentBlockCache>& cache, int damages = 0) {
    const auto database = scratch_ / ("database-" + std::to_string(++databases_));
    ASSERT_TRUE(Partition::ingest(files(), summary_.files, database, false));
    const auto file = std::find_if(summary_.files.begin(), summary_.files.end(),
                                   [](const PartitionFile& one) { return one.name.starts_with("documents"); });
    std::mt19937 random(kCachedSeed);
    for (const auto& entry : std::filesystem::directory_iterator(database))
      if (entry.path().extension() == ".sst" && entry.file_size() == file->bytes)
        for (int i = 0; i < damages; ++i) support::flip_byte(entry.path(), random() % (file->bytes / 2));
    plain_ = Partition::open(database, FileReads::kMapped).value();
    cached_ = Partition::open(database, FileReads::kMapped, cache).value();
  }
  std::vector<DocId> random_docids(std::mt19937& random, std::size_t count) const {
    std::vector<DocId> docids(count);
    for (DocId& docid : docids) docid = random() % (kCachedDocuments + 20);  // some do not exist
    if (random() % 2) std::sort(docids.begin(), docids.end());
    return docids;
  }
  static std::vector<std::string> read(const Partition& partition, const std::vector<DocId>& docids) {
    std::vector<std::string> found;
    partition.read_documents(docids, [&](std::size_t place, const Result<StoredDocument>& document) {
      EXPECT_EQ(place, found.size());
      std::string text;
      if (document)
        for (const auto field : {document->id, document->url, document->title, document->body})
          text.append(field).push_back('\n');
      found.push_back(document ? text : "error: " + document.error().message());
      return true;
    });
    return found;
  }

  support::ScratchFolder scratch_;
  PartitionSummary summary_;
  int databases_ = 0;
  std::shared_ptr<const Partition> plain_, cached_;
};

TEST_F(ReadingThroughACache, ReturnsWhatReadingWithoutReturns) {
  for (const std::size_t budget : {0u, 1u << 20, 8u << 20}) {
    SCOPED_TRACE(testing::Message() << "budget " << budget << ", seed " << kCachedSeed);
    const auto cache = std::make_shared<DocumentBlockCache>(budget);
    open(cache);
    std::mt19937 random(kCachedSeed);
    for (int round = 0; round < 60; ++round) {
      auto docids = random_docids(random, 1 + random() % 60);
      if (round % 10 == 0) docids.insert(docids.end(), {kLarge, 0, kLarge, kLarge + 1, 0});
      ASSERT_EQ(read(*cached_, docids), read(*plain_, docids));
    }
    const auto counters = cache->counters();
    EXPECT_EQ(counters.hits > 0, budget > 0);
    EXPECT_EQ(counters.evictions > 0, budget == 1 << 20) << counters.bytes << " bytes held";
    EXPECT_LE(counters.bytes, budget);
  }
}

TEST_F(ReadingThroughACache, FindsTheSecondTimeWhatItLoadedTheFirstTime) {
  const auto cache = std::make_shared<DocumentBlockCache>(64 << 20);
  open(cache);
  const std::vector<DocId> docids{5, 500, 1500};
  EXPECT_EQ(read(*cached_, docids), read(*cached_, docids));
  EXPECT_EQ(cache->counters().misses, 3u);
  EXPECT_EQ(cache->counters().hits, 3u);
}

TEST_F(ReadingThroughACache, LeavesTheCacheAloneWhereDocumentsAreReadWhole) {
  const auto cache = std::make_shared<DocumentBlockCache>(64 << 20);
  open(cache);
  EXPECT_GT(cached_->document(kLarge).value().body.size(), 3u << 20);
  EXPECT_TRUE(cached_->for_each_document([](DocId, const StoredDocument&) { return true; }));
  EXPECT_EQ(cache->counters().misses, 0u);
  EXPECT_EQ(cache->counters().bytes, 0u);
}

TEST_F(ReadingThroughACache, DropsTheBlocksOfAPartitionThatCloses) {
  const auto cache = std::make_shared<DocumentBlockCache>(64 << 20);
  open(cache);
  (void)read(*cached_, {5, 500, 1500});
  const std::size_t bytes = cache->counters().bytes;
  const auto first = std::exchange(cached_, nullptr);
  open(cache);
  (void)read(*cached_, {5, 500, 1500});
  EXPECT_EQ(cache->counters().bytes, 2 * bytes) << "partitions do not share blocks";
  cached_ = nullptr;
  EXPECT_EQ(cache->counters().bytes, bytes);
}

TEST_F(ReadingThroughACache, ReportsDamageEachTime) {
  open(std::make_shared<DocumentBlockCache>(64 << 20), /*damages=*/5);
  std::vector<DocId> docids(kCachedDocuments);
  for (DocId docid = 0; docid < kCachedDocuments; ++docid) docids[docid] = docid;
  const auto expected = read(*plain_, docids);
  EXPECT_TRUE(std::any_of(expected.begin(), expected.end(), [](const auto& one) { return one.starts_with("error"); }));
  for (int round = 0; round < 2; ++round) EXPECT_EQ(read(*cached_, docids), expected);
}

TEST_F(ReadingThroughACache, IsSafeForManyThreadsWithASmallBudget) {
  const auto cache = std::make_shared<DocumentBlockCache>(1 << 20);
  open(cache);
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(kCachedSeed + t);
      for (int round = 0; round < 100; ++round) {
        const auto docids = random_docids(random, 20);
        EXPECT_EQ(read(*cached_, docids), read(*plain_, docids));
        EXPECT_LE(cache->counters().bytes, cache->budget_bytes());
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_GT(cache->counters().evictions, 0u);
}

}  // namespace
}  // namespace frond::partition
