// Replies that contradict the request are not used.
#include "tests/unit/broker/scatter/search_fixture.h"

namespace frond::broker::scatter {
namespace {
using support::found;

TEST_F(ASearch, ShowsNoDocumentTwiceWhateverLeavesSay) {
  start();
  leaf(0).searches.answer(found({{0, 9}, {2, 5}}));
  leaf(2).searches.answer(found({{2, 7}, {5, 6}, {0, 1}}));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 d2 d5 ");
}
TEST_F(ASearch, DoesNotBelieveARankingOutOfOrder) {
  no_replica();
  start();
  leaf(0).searches.answer(found({{0, 1}, {1, 9}}));
  leaf(2).searches.answer(found({}));
  ASSERT_TRUE(page);
  EXPECT_EQ(unsearched(), "0:corrupt 1:corrupt ");
}
TEST_F(ASearch, DoesNotBelieveALeafThatNamesOtherPartitions) {
  no_replica();
  start();
  leaf(0).searches.answer(found({}, {{2, wire::UnsearchedReason::kDeadline}}));
  leaf(2).searches.answer(found({}));
  ASSERT_TRUE(page);
  EXPECT_EQ(unsearched(), "0:corrupt 1:corrupt ");
}
// Otherwise it would look like a leaf that searched nothing and sends no ranking.
TEST_F(ASearch, DoesNotBelieveALeafThatNamesAPartitionTwice) {
  no_replica();
  start();
  wire::SearchReply nothing;
  nothing.unsearched = {{0, wire::UnsearchedReason::kDeadline}, {0, wire::UnsearchedReason::kDeadline}};
  leaf(0).searches.answer(nothing);
  leaf(2).searches.answer(found({}));
  ASSERT_TRUE(page);
  EXPECT_EQ(unsearched(), "0:corrupt 1:corrupt ") << "no leaf has searched partition 1";
}
}  // namespace
}  // namespace frond::broker::scatter
