// What somebody may have meant.
#include "common/schema/nearest_names.h"

#include <gtest/gtest.h>

namespace frond::schema {
namespace {

TEST(NearestNames, CountEdits) {
  EXPECT_EQ(edit_distance("year", "year"), 0u);
  EXPECT_EQ(edit_distance("yaer", "Year"), 1u);  // neighbours that were swapped
  EXPECT_EQ(edit_distance("", "year"), 4u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance(std::string(1'000'000, 'a'), std::string(1'000'000, 'b')), 64u);
}

TEST(NearestNames, AreThreeAtMostAndInOrder) {
  const std::string_view names[] = {"title", "year", "yes", "yen", "tag"};
  EXPECT_EQ(nearest_hint("yaer", names), "; the nearest names are year, yen, yes");
  EXPECT_EQ(nearest_hint("x", std::span(names, 1)), "; the nearest name is title");
  EXPECT_EQ(nearest_hint("x", {}), "");
}

}  // namespace
}  // namespace frond::schema
