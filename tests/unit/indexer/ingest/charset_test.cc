#include "indexer/ingest/encoding/charset.h"

#include <gtest/gtest.h>

#include "common/text/utf8.h"
#include "indexer/ingest/encoding/encoding.h"

namespace frond::indexer::ingest {
namespace {

using namespace std::string_view_literals;

// Some converters hold a character that the next one may combine with.
TEST(Charset, KeepsTheLastCharacter) {
  for (const std::string label :
       {"windows-1252", "windows-1251", "windows-1250",   "windows-1253", "windows-1254", "windows-1255",
        "windows-1256", "windows-1257", "windows-1258",   "windows-874",  "iso-8859-2",   "iso-8859-3",
        "iso-8859-4",   "iso-8859-5",   "iso-8859-6",     "iso-8859-7",   "iso-8859-8",   "iso-8859-10",
        "iso-8859-13",  "iso-8859-14",  "iso-8859-15",    "iso-8859-16",  "koi8-r",       "koi8-u",
        "ibm866",       "macintosh",    "x-mac-cyrillic", "ibm852",       "ibm855",       "ibm865",
        "viscii"}) {
    ASSERT_NE(encoding_of(label), nullptr) << label;
    for (int byte = 0x80; byte < 0x100; ++byte)
      for (const std::string before : {"", "a"}) {
        const std::string text = before + static_cast<char>(byte);
        EXPECT_EQ(*to_utf8(text, label) + "\n", *to_utf8(text + "\n", label)) << label << " " << byte;
      }
  }
  for (const std::string label : {"gb18030", "big5", "euc-jp", "shift_jis", "euc-kr"})
    for (int lead = 0x81; lead < 0xff; ++lead)
      for (int trail = 0x40; trail < 0xff; ++trail) {
        const std::string text{static_cast<char>(lead), static_cast<char>(trail)};
        const std::string line = *to_utf8(text + "\n", label);
        if (line.find(text::kReplacement) != std::string::npos) continue;  // they are no character
        ASSERT_EQ(*to_utf8(text, label) + "\n", line) << label << " " << lead << " " << trail;
      }
  for (const std::string label : {"iso-2022-jp", "iso-2022-kr", "iso-2022-cn", "hz-gb-2312"})
    EXPECT_EQ(to_utf8("x", label), "x") << label;
  EXPECT_EQ(to_utf8("\xe0\xd9", "windows-1255"), "\u05d0\uFFFD") << "in their order";
}

TEST(Charset, LeavesUtf8AsItIs) {
  EXPECT_EQ(to_utf8("häuser"), "häuser");
  EXPECT_EQ(to_utf8("\xef\xbb\xbfx"), "x");
}
TEST(Charset, RepairsUtf8AndNeverGuessesAgain) {
  EXPECT_EQ(to_utf8("caf\xe9 Погода", "UTF-8"), "caf\uFFFD Погода");
  EXPECT_EQ(to_utf8("caf\xe9", "utf8"), "caf\uFFFD");
  EXPECT_EQ(to_utf8("\xef\xbb\xbf"
                    "caf\xe9"),
            "caf\uFFFD");
  EXPECT_EQ(to_utf8("\xef\xbb\xbf"
                    "caf\xe9\0"sv,
                    "windows-1251"),
            "caf\uFFFD");
  EXPECT_EQ(to_utf8("Погода \xe9 в столице"), "Погода \uFFFD в столице");
  EXPECT_EQ(to_utf8("Погода\xd0..."), "Погода\uFFFD...");
}
TEST(Charset, CountsTheDeclarationBeforeUtf8) {
  EXPECT_EQ(to_utf8("\xcd\xbc\xc6\xac", "gb2312"), "图片");
  EXPECT_EQ(to_utf8("\xcd\xbc\xc6\xac", "GBK"), "图片");
  EXPECT_EQ(to_utf8("\x1b$BEl5~\x1b(B x", "iso-2022-jp"), "東京 x");
  EXPECT_EQ(to_utf8("\x1b$BEl5~\x1b(B x"), "東京 x");
  EXPECT_EQ(to_utf8("~{VPND~} ~~ x", "hz-gb-2312"), "中文 ~ x");
  EXPECT_EQ(to_utf8("\x1b$)C\x0e\x47\x51\x0f x", "iso-2022-kr"), "한 x");
  EXPECT_EQ(to_utf8("CAF\xc9\xae", "windows-1252"), "CAFÉ®");
  EXPECT_EQ(to_utf8("\xc2\xb3", "koi8-r"), "бЁ");
  EXPECT_EQ(to_utf8("\xc7\xb1", "euc-kr"), "풉");
  EXPECT_EQ(to_utf8("x", "gb2312"), "x");
}
TEST(Charset, TakesUtf8ThatIsCalledSomethingElse) {
  const std::string_view german = "Häuser, Bäume, Büsche und schöne größere Flüsse";
  EXPECT_EQ(to_utf8(german, "iso-8859-1"), german);
  EXPECT_EQ(to_utf8("图片和文字。", "gb2312"), "图片和文字。");  // not valid in GB 18030
  EXPECT_EQ(to_utf8("häuser", "no such label"), "häuser");
  EXPECT_EQ(to_utf8("häuser", "utf-16"), "häuser");
  std::string brands;
  for (int i = 0; i < 20; ++i) brands += "NESCAF\xc9\xae ";
  EXPECT_EQ(to_utf8(brands, "windows-1252").value().substr(0, 11), "NESCAFÉ® ");
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
  EXPECT_EQ(charset_of_html("<meta http-equiv=Content-Type content=\"text/html; charset = ISO-8859-2\">"),
            "ISO-8859-2");
  EXPECT_EQ(charset_of_html("<meta name=x content=\"charset=koi8-r\"><meta charset=big5>"), "big5");
  EXPECT_EQ(charset_of_html("<meta charset=nonsense><meta charset=\" big5 \">"), " big5 ");
  EXPECT_EQ(charset_of_html("<!-- <meta charset=big5> --><a href='?charset=big5'><body><meta charset=big5>"), "");
  EXPECT_EQ(charset_of_html("<p>"), "");
  EXPECT_EQ(charset_of_html("<meta charset=UTF-16LE>"), "utf-8");
  EXPECT_EQ(to_utf8("\xe9", charset_of_html("<meta charset=x-user-defined>")), "é");
  EXPECT_EQ(charset_of_html("<?xml version='1.0' encoding='koi8-r'?><html>"), "koi8-r");
  EXPECT_EQ(charset_of_html("<?xml version='1.0' encoding='koi8-r'?><html><meta charset=big5>"), "big5");
  EXPECT_EQ(charset_of_html("<?xml version='1.0'?><a encoding='koi8-r'>"), "");
  // The server's comes first, if it is one.
  EXPECT_EQ(charset_of_html("<meta charset=big5>", "koi8-r"), "koi8-r");
  EXPECT_EQ(charset_of_html("<meta charset=big5>", "none"), "big5");
}

}  // namespace
}  // namespace frond::indexer::ingest
