#include "common/base/text.h"

#include <gtest/gtest.h>

namespace frond {
namespace {

TEST(AText, IsPercentEncodedButForUnreservedCharacters) {
  EXPECT_EQ(percent_encoded("a b&c=\xc3\xa9~"), "a%20b%26c%3D%C3%A9~");
  EXPECT_EQ(percent_encoded("a/b c+~*(d)", "-._~/"), "a/b%20c%2B~%2A%28d%29");
  EXPECT_EQ(percent_encoded("a/b"), "a%2Fb");
}
TEST(AText, OfATimeIsInUtc) {
  const auto time = std::chrono::system_clock::from_time_t(1369353600);
  EXPECT_EQ(utc_text(kCompactUtcSeconds, time), "20130524T000000Z");
  EXPECT_EQ(utc_text(kUtcSeconds, time), "2013-05-24T00:00:00Z");
}
TEST(AText, HasWordsAndSmallLetters) {
  EXPECT_EQ(words_in(" a\tbc  d"), (std::vector<std::string_view>{"a", "bc", "d"}));
  EXPECT_TRUE(words_in(" \t").empty());
  EXPECT_EQ(lower_case("AbZ[\xc3\x84"), "abz[\xc3\x84");
  EXPECT_EQ(hex_text(as_bytes("\x01\xaf")), "01af");
}

}  // namespace
}  // namespace frond
