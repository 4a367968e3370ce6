// Which partitions are merged, where all fit into memory and where they do not.
#include "indexer/change/tiers.h"

#include <gtest/gtest.h>

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
