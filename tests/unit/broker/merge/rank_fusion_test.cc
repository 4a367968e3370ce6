#include "broker/merge/rank_fusion.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace frond::broker::merge {
namespace {
using Lists = std::vector<std::vector<std::string>>;

std::string order_of(const Lists& lists, std::uint32_t constant = 60) {
  std::string order;
  for (const FusedDocument& one : fuse_ranks(lists, constant)) order += one.id;
  return order;
}

TEST(FusedRanks, AddUpOverLists) {
  const auto fused = fuse_ranks(Lists{{"a", "b"}, {"b", "c"}}, 60);
  ASSERT_EQ(fused.size(), 3u);
  EXPECT_EQ(fused[0].id, "b");
  EXPECT_EQ(fused[0].score, 1.0 / 62 + 1.0 / 61);
  EXPECT_EQ(fused[0].ranks, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(fused[1].score, 1.0 / 61);
  EXPECT_EQ(fused[2].ranks, (std::vector<std::uint32_t>{0, 2}));
}
TEST(FusedRanks, OfEqualOnesTheFirstListDecides) {
  EXPECT_EQ(order_of({{"a", "b"}, {"b", "a"}}), "ab");
  EXPECT_EQ(order_of({{"a"}, {"b"}}), "ab");
  EXPECT_EQ(order_of({{}, {"b"}, {"a"}}), "ba");
}
TEST(FusedRanks, WeighRanksByTheConstant) {
  const Lists lists{{"a", "x", "b"}, {"y", "z", "b"}};
  EXPECT_EQ(order_of(lists, 1).front(), 'a') << "1/2 is as much as 1/4 and 1/4";
  EXPECT_EQ(order_of(lists, 60).front(), 'b');
}
TEST(FusedRanks, OfADocumentThatIsTwiceInAListTheBetterCounts) {
  EXPECT_EQ(fuse_ranks(Lists{{"a", "b", "a"}}, 60).front().score, 1.0 / 61);
  EXPECT_TRUE(fuse_ranks(Lists{{}, {}}, 60).empty());
}

}  // namespace
}  // namespace frond::broker::merge
