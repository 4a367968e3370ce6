// Which partitions are merged, where all fit into memory and where they do not.
#include "indexer/change/tiers.h"

#include <span>

#include <gtest/gtest.h>

#include "indexer/publish/publication.h"

namespace frond::indexer::change {
namespace {

using repository::PartitionEntry;

std::vector<PartitionEntry> partitions_of(const std::vector<std::uint32_t>& documents) {
  std::vector<PartitionEntry> made;
  Ordinal base = 0;
  for (const std::uint32_t count : documents) {
    PartitionEntry entry;
    entry.base = base;
    entry.summary.documents = count;
    made.push_back(std::move(entry));
    base += count;
  }
  return made;
}
std::vector<std::size_t> sizes_of(const std::vector<Merge>& merges) {
  std::vector<std::size_t> sizes;
  sizes.reserve(merges.size());
  for (const Merge& merge : merges) sizes.push_back(merge.sources.size());
  return sizes;
}
Fits sources_up_to(std::size_t most) {
  return [most](const MergeSize& size) { return size.sources <= most; };
}
using Sizes = std::vector<std::size_t>;

TEST(Tiers, MergeWhatIsSideBySideOfATier) {
  const auto any = [](const MergeSize&) { return true; };
  EXPECT_EQ(sizes_of(merges_of(partitions_of(std::vector<std::uint32_t>(7, 100)), {}, any)), Sizes{});
  EXPECT_EQ(sizes_of(merges_of(partitions_of(std::vector<std::uint32_t>(8, 100)), {}, any)), Sizes{8});
  std::vector<std::uint32_t> behind_a_large_one(9, 100);
  behind_a_large_one[0] = 1'000'000;
  const auto merges = merges_of(partitions_of(behind_a_large_one), {}, any);
  ASSERT_EQ(sizes_of(merges), Sizes{8});
  EXPECT_EQ(merges[0].sources.front(), 1u);
}

// Else one leaf has most of a collection, however many partitions it was built with.
TEST(Tiers, MakeAsManyPartitionsAsTheLargestGroupHas) {
  const auto any = [](const MergeSize&) { return true; };
  std::vector<PartitionEntry> partitions = partitions_of({50'000, 50'000});  // of a build: they interleave
  partitions[0].stride = partitions[1].stride = 2;
  partitions[1].base = 1;
  Ordinal base = 100'000;
  for (PartitionEntry entry : partitions_of(std::vector<std::uint32_t>(8, 7'000))) {
    entry.base += base;
    partitions.push_back(std::move(entry));
  }
  auto merges = merges_of(partitions, {}, any);
  ASSERT_EQ(sizes_of(merges), Sizes{8});
  EXPECT_EQ(merges[0].partitions, 2u);
  for (std::size_t p = 2; p < partitions.size(); ++p) partitions[p].summary.documents = 100;
  merges = merges_of(partitions, {}, any);
  ASSERT_EQ(sizes_of(merges), Sizes{8});
  EXPECT_EQ(merges[0].partitions, 1u) << "a small one";
}

TEST(Tiers, TakeThePartsOfAMergeForOneGroup) {
  const auto any = [](const MergeSize&) { return true; };
  std::vector<PartitionEntry> partitions;
  Ordinal base = 0;
  for (std::uint32_t merge = 0; merge < 8; ++merge)
    for (std::uint32_t part = 0; part < 3; ++part) {
      PartitionEntry entry;
      entry.id = publish::new_partition_id(9, 3 * merge + part);
      entry.base = base;
      entry.summary.documents = 20'000 + merge * 10 + (part == 2 ? 1 : 0);
      base += entry.summary.documents;
      partitions.push_back(std::move(entry));
    }
  auto merges = merges_of(partitions, {}, any);
  ASSERT_EQ(sizes_of(merges), Sizes{24});
  EXPECT_EQ(merges[0].partitions, 3u);
  merges = merges_of(std::span(partitions).first(21), {}, any);
  EXPECT_EQ(sizes_of(merges), Sizes{}) << "7 groups, not 21";
  merges = merges_of(std::span(partitions).first(6), {.all = true}, any);
  ASSERT_EQ(sizes_of(merges), Sizes{6});
  EXPECT_EQ(merges[0].partitions, 3u);
  partitions[1].id = publish::new_partition_id(8, 1);  // of another generation
  partitions[4].summary.documents = 19'000;
  merges = merges_of(std::span(partitions).first(6), {.all = true}, any);
  EXPECT_EQ(merges[0].partitions, 1u);
}

// While a large merge ran many small partitions came. Together they do not fit: then none was merged, ever.
TEST(Tiers, MergeInPiecesWhatDoesNotFitTogether) {
  std::vector<std::uint32_t> many(100, 7000);
  many[0] = 1'600'000;
  EXPECT_EQ(sizes_of(merges_of(partitions_of(many), {}, sources_up_to(40))), (Sizes{40, 40, 19}));
  EXPECT_EQ(sizes_of(merges_of(partitions_of(many), {}, sources_up_to(7))), Sizes{}) << "fewer than the width fit";
  for (const std::size_t most : {8u, 9u, 39u, 99u}) {
    std::size_t merged = 0;
    for (const Merge& merge : merges_of(partitions_of(many), {}, sources_up_to(most))) {
      EXPECT_LE(merge.sources.size(), most);
      merged += merge.sources.size();
    }
    EXPECT_GE(merged, 92u) << "less than the width stays, with " << most;
  }
}

TEST(Tiers, LeaveTheLargeOnesWhereOnlyTheSmallOnesFit) {
  std::vector<std::uint32_t> sizes(8, 700'000);
  sizes.insert(sizes.end(), 16, 100);
  const Fits fits = [](const MergeSize& size) { return size.left <= 1'000'000; };
  const auto merges = merges_of(partitions_of(sizes), {}, fits);
  ASSERT_EQ(sizes_of(merges), Sizes{16});
  EXPECT_EQ(merges[0].sources.front(), 8u);
}

}  // namespace
}  // namespace frond::indexer::change
