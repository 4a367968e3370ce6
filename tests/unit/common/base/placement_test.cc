#include "common/base/placement.h"

#include <gtest/gtest.h>

namespace frond {
namespace {

TEST(Placement, GivesEachDocumentItsOrdinalAndBack) {
  const Placement placement{2, 3, 100};
  for (DocId docid = 0; docid < 100; ++docid) {
    EXPECT_EQ(placement.ordinal(docid), 2 + 3 * docid);
    EXPECT_EQ(placement.docid(placement.ordinal(docid)), docid);
  }
}

TEST(Placement, HasNoDocumentForOrdinalsOfOtherPartitions) {
  const Placement placement{2, 3, 100};
  for (const Ordinal other : {0ull, 1ull, 3ull, 4ull, 2 + 3 * 100ull, ~0ull})
    EXPECT_FALSE(placement.docid(other)) << other;
  EXPECT_FALSE((Placement{0, 1, 0}.docid(0)));
}

}  // namespace
}  // namespace frond
