#include "leaf/gpu/document_order.h"

#include <gtest/gtest.h>

namespace frond::leaf::gpu {
namespace {

constexpr DocId kLast = 0x7ffffffe;  // list_image.cc

TEST(DocumentOrder, FallsWithTheDocidAndStaysWithinTheBins) {
  scoring::Score before = kBins - 1;
  for (std::uint64_t docid = 0; docid <= kLast; docid += 1 + docid / 500) {
    const scoring::Score score = score_in_order(static_cast<DocId>(docid), 0);
    ASSERT_LE(score, before) << docid;
    ASSERT_LT(score, kBins) << docid;
    before = score;
  }
  EXPECT_GT(score_in_order(kLast, 0), 0u);
}

TEST(DocumentOrder, NamesTheDocumentsOfAScore) {
  for (const DocId origin : {0u, 1000u, 0x70000000u})
    for (std::uint64_t docid = origin; docid <= kLast; docid += 1 + docid / 50) {
      const auto at = static_cast<DocId>(docid);
      const scoring::Score score = score_in_order(at, origin);
      const DocId first = first_with(score, origin), last = last_with(score, origin);
      ASSERT_LE(first, at);
      ASSERT_GE(last, at);
      ASSERT_EQ(score_in_order(first, origin), score);
      ASSERT_EQ(score_in_order(last, origin), score);
      ASSERT_EQ(score_in_order(last + 1, origin), score - 1);
      ASSERT_LE(last - first, (at - origin) / kStepsOfAPower);
    }
}

TEST(DocumentOrder, TreatsDocumentsBeforeTheOriginAsTheFirst) {
  EXPECT_EQ(score_in_order(0, 500), kBins - 1);
  EXPECT_EQ(score_in_order(500, 500), kBins - 1);
  EXPECT_EQ(score_in_order(501, 500), kBins - 2);
}

}  // namespace
}  // namespace frond::leaf::gpu
