#include "indexer/ingest/charset.h"

#include <gtest/gtest.h>

#include "common/text/utf8.h"

namespace frond::indexer::ingest {
namespace {

using namespace std::string_view_literals;

TEST(Charset, LeavesUtf8AsItIs) {
  EXPECT_EQ(to_utf8("häuser"), "häuser");
  EXPECT_EQ(to_utf8("\xef\xbb\xbfx"), "x");
  EXPECT_EQ(to_utf8("häuser", "iso-8859-1"), "häuser");
}
TEST(Charset, ObeysByteOrderMarks) {
  EXPECT_EQ(to_utf8("\xff\xfeh\0\xe4\0"sv), "hä");
  EXPECT_EQ(to_utf8("\xfe\xff\0h\0\xe4"sv), "hä");
}
TEST(Charset, ObeysTheDeclaration) {
  EXPECT_EQ(to_utf8("\xcf\xf0\xe8", "Windows-1251"), "При");
  EXPECT_EQ(to_utf8("h\xe4\x80", "latin1"), "hä€");
}
TEST(Charset, GuessesWhenNothingIsDeclared) {
  const std::string_view russian =  // "Съешь же ещё этих мягких французских булок, да выпей чаю" in KOI8-R
      "\xf3\xdf\xc5\xdb\xd8 \xd6\xc5 \xc5\xdd\xa3 \xdc\xd4\xc9\xc8 \xcd\xd1\xc7\xcb\xc9\xc8 "
      "\xc6\xd2\xc1\xce\xc3\xd5\xda\xd3\xcb\xc9\xc8 \xc2\xd5\xcc\xcf\xcb, \xc4\xc1 \xd7\xd9\xd0\xc5\xca \xde\xc1\xc0";
  EXPECT_EQ(to_utf8(russian), "Съешь же ещё этих мягких французских булок, да выпей чаю");
}
TEST(Charset, AlwaysGivesUtf8) {
  for (int byte = 0x80; byte < 0x100; ++byte)
    for (const std::string_view name : {"", "shift_jis", "utf-8", "utf-16", "gbk", "no such thing", "euc-jp"})
      EXPECT_TRUE(text::is_utf8(to_utf8(std::string(3, static_cast<char>(byte)) + "\xff"
                                                                                  "a",
                                        name)
                                    .value()))
          << byte << name;
}
TEST(Charset, DropsNulsAndTellsUtf16ByThem) {
  EXPECT_EQ(to_utf8("\0\0a\0b h\xe4\xe4 c"sv), "ab hää c");
  EXPECT_EQ(to_utf8("h\0\xe4\0u\0s\0"sv), "häus");
  EXPECT_EQ(to_utf8("\0h\0\xe4\0u\0s"sv, "iso-8859-1"), "häus");
}
TEST(Charset, RefusesWhatGrowsTooLong) {
  const std::string russian(600, '\xf1');
  EXPECT_TRUE(to_utf8(russian, "windows-1251", 1200));
  EXPECT_EQ(to_utf8(russian, "windows-1251", 1199), Code::kInvalid);
  EXPECT_EQ(to_utf8(std::string(100000, '\xf1'), "windows-1251", 1000), Code::kInvalid);
  EXPECT_EQ(to_utf8(std::string(11, 'x'), {}, 10), Code::kInvalid);
}
TEST(Charset, IsFoundInAPage) {
  EXPECT_EQ(charset_of_html("<meta CHARSET='koi8-r'>"), "koi8-r");
  EXPECT_EQ(charset_of_html("<meta content=\"text/html; charset=ISO-8859-2\">"), "ISO-8859-2");
  EXPECT_EQ(charset_of_html("<p>"), "");
  EXPECT_EQ(charset_of_html("<?xml version='1.0' encoding='koi8-r'?><html>"), "koi8-r");
  EXPECT_EQ(charset_of_html("<?xml version='1.0'?><a encoding='koi8-r'>"), "");
}

}  // namespace
}  // namespace frond::indexer::ingest
