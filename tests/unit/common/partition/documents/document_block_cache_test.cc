#include "common/partition/documents/document_block_cache.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace frond::partition {
namespace {

constexpr std::size_t kBudget = std::size_t{4} << 20;

// A block of `documents` documents, each with a body of `body_bytes` bytes, as decompressing it makes it.
DocumentBlockCache::Block block_of(std::uint32_t documents, std::size_t body_bytes) {
  ByteBuffer raw;
  for (std::uint32_t i = 0; i < documents; ++i) append_document({"", "", "", std::string(body_bytes, 'b')}, raw);
  const auto block = std::make_shared<DocumentBlock>();
  EXPECT_TRUE(BlockDecompressor({}).decompress(BlockCompressor({}).compress(raw, documents), *block));
  return block;
}

std::size_t allocated() {
  const struct mallinfo2 now = mallinfo2();  // zeros under sanitizers
  return now.uordblks + now.hblkhd;
}

TEST(ADocumentBlockCache, ReturnsTheBlockThatWasInserted) {
  DocumentBlockCache cache(kBudget);
  const std::uint64_t one = cache.add_partition(), other = cache.add_partition();
  const auto block = block_of(3, 1000);
  EXPECT_EQ(cache.find(one, 7), nullptr);
  cache.insert(one, 7, block);
  cache.insert(one, 7, block_of(3, 1000));  // a second thread missed it, too
  EXPECT_EQ(cache.find(one, 7), block);
  EXPECT_EQ(cache.find(one, 8), nullptr);
  EXPECT_EQ(cache.find(other, 7), nullptr);
  const auto counters = cache.counters();
  EXPECT_EQ(counters.hits, 1u);
  EXPECT_EQ(counters.misses, 3u);
  EXPECT_EQ(counters.evictions, 0u);
  EXPECT_EQ(counters.bytes, DocumentBlockCache::charge_of(*block));
}

// The worst cases: blocks of empty documents, whose parsed form is 16 times as large as their bytes; tiny blocks, of
// which the cache's own nodes are the larger part; blocks of the maximal size.
TEST(ADocumentBlockCache, KeepsItsBudgetWhateverTheBlocksAreLike) {
  for (const auto& [documents, body_bytes] :
       {std::pair(15'000u, 0u), {200u, 0u}, {1u, 1u}, {1u, 130'000u}, {4u, 1000u}}) {
    SCOPED_TRACE(testing::Message() << documents << " documents of " << body_bytes << " bytes");
    const std::size_t before = allocated();
    DocumentBlockCache cache(kBudget);
    const std::uint64_t partition = cache.add_partition();
    const std::size_t charge = DocumentBlockCache::charge_of(*block_of(documents, body_bytes));
    const auto inserted = static_cast<DocId>(2 * kBudget / charge + 20);
    for (DocId first = 0; first < inserted; ++first) {
      cache.insert(partition, first, block_of(documents, body_bytes));
      ASSERT_LE(cache.counters().bytes, kBudget);
    }
    // The zstd context of this thread, and freed memory that the allocator keeps, are not the cache's.
    EXPECT_LE(allocated(), before + kBudget + (kBudget >> 2));
    const bool too_large = charge > kBudget / 64;
    EXPECT_EQ(cache.counters().evictions > 0, !too_large);
    EXPECT_EQ(cache.counters().bytes > kBudget / 2, !too_large);
    EXPECT_EQ(cache.counters().bytes == 0, too_large);
  }
}

TEST(ADocumentBlockCache, KeepsNoBlockOfMoreThanItsMaximum) {
  DocumentBlockCache cache(std::size_t{1} << 30);
  const std::uint64_t partition = cache.add_partition();
  for (const std::size_t bytes : {DocumentBlockCache::kMaxRawBytes, DocumentBlockCache::kMaxRawBytes + 1}) {
    const auto block = std::make_shared<DocumentBlock>();
    block->raw.make_room(bytes);
    cache.insert(partition, static_cast<DocId>(bytes), block);
    EXPECT_EQ(cache.find(partition, static_cast<DocId>(bytes)) != nullptr, bytes <= DocumentBlockCache::kMaxRawBytes);
  }
}

TEST(ADocumentBlockCache, KeepsNothingWithoutABudget) {
  DocumentBlockCache cache(0);
  const std::uint64_t partition = cache.add_partition();
  cache.insert(partition, 0, block_of(1, 1));
  EXPECT_EQ(cache.find(partition, 0), nullptr);
  EXPECT_EQ(cache.counters().bytes, 0u);
}

TEST(ADocumentBlockCache, DropsThePartitionThatCloses) {
  DocumentBlockCache cache(kBudget);
  const std::uint64_t one = cache.add_partition(), other = cache.add_partition();
  EXPECT_NE(one, other);
  const auto block = block_of(3, 1000);
  for (DocId first = 0; first < 100; ++first)
    for (const std::uint64_t partition : {one, other}) cache.insert(partition, first, block);
  for (DocId first = 0; first < 100; first += 2) EXPECT_EQ(cache.find(one, first), block);  // now protected
  cache.drop_partition(one);
  for (DocId first = 0; first < 100; ++first) {
    EXPECT_EQ(cache.find(one, first), nullptr);
    EXPECT_EQ(cache.find(other, first), block);
  }
  EXPECT_EQ(cache.counters().evictions, 0u);
  cache.drop_partition(other);
  EXPECT_EQ(cache.counters().bytes, 0u);
  EXPECT_EQ(block.use_count(), 1);
}

TEST(ADocumentBlockCache, LeavesAnEvictedBlockToItsReader) {
  DocumentBlockCache cache(kBudget / 4);
  const std::uint64_t partition = cache.add_partition();
  cache.insert(partition, 0, block_of(1, 5000));
  const auto held = cache.find(partition, 0);
  ASSERT_NE(held, nullptr);
  for (DocId first = 1; first < 5000 && held.use_count() > 1; ++first) {
    cache.insert(partition, first, block_of(1, 5000));
    (void)cache.find(partition, first);
  }
  EXPECT_EQ(held.use_count(), 1) << "not evicted";
  EXPECT_EQ(held->documents[0].body, std::string(5000, 'b'));
}

}  // namespace
}  // namespace frond::partition
