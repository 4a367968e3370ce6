#include "leaf/collect/facets/facet_room.h"

#include <gtest/gtest.h>

namespace frond::leaf::collect {
namespace {

TEST(FacetRoom, IsTakenByAllFacetsTogetherAndNamesTheLimit) {
  query::Facet tag, year;
  tag.name = "tag";
  year.name = "year";
  FacetRoom room(5, 1000);
  query::FacetCounts counts;
  counts.words = {"a", "b"};
  ASSERT_TRUE(room.take_all(tag, counts));
  EXPECT_EQ(room.buckets_left(), 3u);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(room.take_number(year));
  const auto refused = room.take_number(year);
  ASSERT_EQ(refused, Code::kInvalid);
  EXPECT_EQ(refused.error().message(),
            "the facets up to 'year' have more than 5 different buckets (--max-facet-buckets, of all facets of a "
            "search)");
}

TEST(FacetRoom, IsTakenByFacetsInBuckets) {
  query::Facet tag, years;
  years.kind = query::Facet::Kind::kStats;
  tag.inside = {years, query::Facet()};
  query::FacetCounts counts;
  counts.words = {"a", "b"};
  counts.nested.resize(4);
  counts.nested[3].keys = {1, 2};
  FacetRoom room(5, 10'000);
  ASSERT_TRUE(room.take_all(tag, counts));
  EXPECT_EQ(room.buckets_left(), 1u);
  EXPECT_EQ(room.bytes(), 2u * (16 + 8) + 4 * sizeof(query::FacetCounts) + 2 * 16);
  EXPECT_EQ(room.take_inside(years, 30), Code::kInvalid);
}

TEST(FacetRoom, EndsWithTheBytesOfAReplyToo) {
  query::Facet tag;
  tag.name = "tag";
  FacetRoom room(10'000, 3 << 20);
  const std::string word(1023, 'x');  // 1040 bytes with its end, its pointer and its count
  int taken = 0;
  Result<void> last;
  while ((last = room.take_word(tag, word))) ++taken;
  EXPECT_EQ(taken, (3 << 20) / 1040);
  ASSERT_EQ(last, Code::kInvalid);
  EXPECT_NE(last.error().message().find("'tag' have more than 3 MiB of buckets"), std::string::npos)
      << last.error().message();
}

}  // namespace
}  // namespace frond::leaf::collect
