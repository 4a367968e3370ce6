#include "common/text/utf8.h"

#include <gtest/gtest.h>

#include "common/text/analyzer.h"

namespace frond::text {
namespace {

TEST(Utf8, TellsStrictFormsFromOthers) {
  for (const std::string_view good : {"", "plain text of more than eight bytes", "é", "€", "😀",
                                      "\u007f\u0080\u07ff\u0800", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const std::string_view bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe2\x82", "\xe0\x80\x80", "\xed\xa0\x80",
                                     "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "12345678\xff"})
    EXPECT_FALSE(is_utf8(bad)) << testing::PrintToString(bad);
}
TEST(Utf8, ComesBackFromEveryCodePoint) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    std::string text;
    append_utf8(c, text);
    const CodePoint back = decode_utf8(text, 0);
    ASSERT_EQ(back.value, c);
    ASSERT_EQ(back.bytes, text.size());
  }
}
TEST(Utf8, IsRepairedRunByRun) {
  EXPECT_EQ(repaired_utf8("a\xff\xfe"
                          "b\xc3"),
            "a\uFFFDb\uFFFD");
  EXPECT_EQ(repaired_utf8("häuser"), "häuser");
}
TEST(Utf8, IsCutBetweenCodePoints) {
  EXPECT_EQ(utf8_boundary("aé€", 2), 1u);
  EXPECT_EQ(utf8_boundary("aé€", 3), 3u);
  EXPECT_EQ(utf8_boundary("aé€", 5), 3u);
  EXPECT_EQ(utf8_boundary("aé€", 99), 6u);
  EXPECT_EQ(utf8_boundary("\x80\x80\x80", 1), 1u);
}

}  // namespace
}  // namespace frond::text
