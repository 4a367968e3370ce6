#include "common/text/utf8.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "common/text/json_surrogates.h"

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
// is_utf8(), computed without the library that it uses.
bool decodes(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    if (c.value == kNoCodePoint) return false;
    at += c.bytes;
  }
  return true;
}
TEST(Utf8, IsWhatDecodes) {
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b)
      for (const int c : {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc2, 0xed, 0xff}) {
        const std::string text = {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)};
        ASSERT_EQ(is_utf8(text), decodes(text)) << testing::PrintToString(text);
      }
  constexpr unsigned kSeed = 1;
  std::mt19937 random(kSeed);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  constexpr unsigned char kLeads[] = {0x41, 0x7f, 0x80, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5};
  for (int round = 0; round < 200'000; ++round) {
    std::string text(below(300), 'a');
    for (std::size_t i = below(5); i > 0; --i) {
      std::string piece(1, static_cast<char>(kLeads[below(std::size(kLeads))]));
      for (std::size_t n = below(4); n > 0; --n) piece += static_cast<char>(0x80 + below(below(8) ? 0x40 : 0x80));
      text.insert(below(text.size() + 1), piece);
    }
    ASSERT_EQ(is_utf8(text), decodes(text)) << "seed " << kSeed << ": " << testing::PrintToString(text);
  }
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

TEST(HalfSurrogates, BecomeReplacementCharacters) {
  EXPECT_EQ(with_whole_surrogates(R"({"a":"\ud83d\uDE00 \\ud83d \u00e9 \n"})"),
            R"({"a":"\ud83d\uDE00 \\ud83d \u00e9 \n"})");
  EXPECT_EQ(with_whole_surrogates(R"("\ud83d")"), R"("\ufffd")");
  EXPECT_EQ(with_whole_surrogates(R"("\uDFff\ud83d\u0041")"), R"("\ufffd\ufffd\u0041")");
  EXPECT_EQ(with_whole_surrogates(R"("\ud83d\ud83d\ude00")"), R"("\ufffd\ud83d\ude00")");
  for (const char* const whole : {"", "\\", "\\u", "\\ud83", "\\u-d83", "\xff\\"})
    EXPECT_EQ(with_whole_surrogates(whole), whole);
}

}  // namespace
}  // namespace frond::text
