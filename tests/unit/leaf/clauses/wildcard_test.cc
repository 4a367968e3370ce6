#include "leaf/clauses/resolve/wildcard.h"

#include <gtest/gtest.h>

namespace frond::leaf::clauses {
namespace {

TEST(WildcardPattern, MatchesWholeTexts) {
  const auto matches = [](const char* pattern, const char* text) { return WildcardPattern(pattern).matches(text); };
  EXPECT_TRUE(matches("w*d", "wd"));
  EXPECT_TRUE(matches("w*d", "word"));
  EXPECT_FALSE(matches("w*d", "words"));
  EXPECT_TRUE(matches("w*r*d", "wxrrxd"));
  EXPECT_TRUE(matches("*ab", "aab"));
  EXPECT_FALSE(matches("w?d", "wd"));
  EXPECT_TRUE(matches("w?d", "w\u00fcd"));
  EXPECT_TRUE(matches("w\\*d", "w*d"));
  EXPECT_FALSE(matches("w\\*d", "word"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_FALSE(matches("\xff", "\xfe"));
}

TEST(WildcardPattern, KnowsHowMatchesBegin) {
  EXPECT_EQ(WildcardPattern("wo\\*r?d").fixed(), "wo*r");
  EXPECT_EQ(WildcardPattern("WO*RD", [](std::string_view part) { return part == "WO" ? "wo" : "rd"; }).fixed(), "wo");
  EXPECT_EQ(WildcardPattern("*a").fixed(), "");
}

}  // namespace
}  // namespace frond::leaf::clauses
