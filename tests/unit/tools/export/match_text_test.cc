#include "tools/export/match_text.h"

#include <gtest/gtest.h>

namespace frond::tools {
namespace {

// An answer as brokers print it; the source was given with line ends and a number beyond 64 bits.
const std::string kAnswer =
    R"({"took_ms":1.0,"generation":3,"total":{"value":7,"relation":"eq"},"hits":[)"
    R"({"id":"a,1","title":"say \"hi\"","tag":["x","y"],"price":1.50,"open":true,"source":{"z":1,"a":[123456789012345678901234567890,)"
    "\r\n"
    R"( "line\nend"]},"sort":[7]},)"
    R"({"id":"=1+1","title":"","price":-3},{"id":"-\u00e9\n","title":null}],"cursor":"c/+1"})";

std::string text_of(const MatchText& text, std::string_view answer = kAnswer) {
  std::string out = text.head();
  const auto page = text.append(answer, out);
  EXPECT_TRUE(page) << page.error().message();
  return out;
}

TEST(MatchText, WritesCsvAsRfc4180HasIt) {
  EXPECT_EQ(text_of({MatchFormat::kCsv, {"id", "title", "price", "tag", "open"}, false}),
            "id,title,price,tag,open\r\n"
            "\"a,1\",\"say \"\"hi\"\"\",1.50,\"[\"\"x\"\",\"\"y\"\"]\",true\r\n"
            "=1+1,\"\",-3,,\r\n"
            "\"-\xc3\xa9\n\",,,,\r\n");
}

TEST(MatchText, EscapesFormulasOfStringsOnlyIfItIsAskedTo) {
  EXPECT_EQ(text_of({MatchFormat::kCsv, {"id", "price"}, true}),
            "id,price\r\n\"a,1\",1.50\r\n'=1+1,-3\r\n\"'-\xc3\xa9\n\",\r\n");
}

TEST(MatchText, WritesNoEmptyLineForARowOfNothing) {
  EXPECT_EQ(text_of({MatchFormat::kCsv, {"none"}, false}), "none\r\n\"\"\r\n\"\"\r\n\"\"\r\n");
}

TEST(MatchText, WritesValuesAsTheyStandInOneLineOfJson) {
  EXPECT_EQ(text_of({MatchFormat::kJsonLines, {"source", "id", "price"}, true}),
            R"({"source":{"z":1,"a":[123456789012345678901234567890,)"
            "  "
            R"( "line\nend"]},"id":"a,1","price":1.50})"
            "\n"
            R"({"id":"=1+1","price":-3})"
            "\n"
            R"({"id":"-\u00e9\n"})"
            "\n");
}

TEST(MatchText, TellsTheTotalAndTheCursor) {
  std::string out;
  const auto page = MatchText(MatchFormat::kCsv, {"id"}, false).append(kAnswer, out);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->hits, 3u);
  EXPECT_EQ(page->total, 7u);
  EXPECT_EQ(page->cursor, "c/+1");
  out.clear();
  EXPECT_EQ(MatchText(MatchFormat::kCsv, {"id"}, false).append(R"({"hits":[]})", out)->cursor, "");
  EXPECT_EQ(out, "");
}

TEST(MatchText, CallsWhatIsNoAnswerCorrupt) {
  for (const auto format : {MatchFormat::kCsv, MatchFormat::kJsonLines}) {
    const MatchText text(format, {"id", "source"}, false);
    for (const auto* answer : {"", "[]", "{}", "nonsense", R"({"hits":3})", R"({"hits":[3]})", R"({"hits":[{"id":"a"})",
                               R"({"hits":[],"cursor":3})", R"({"hits":[],"total":3})", R"({"hits":[{"id":"\x"}]})"}) {
      std::string out;
      if (std::string_view(answer).find("\\x") != std::string_view::npos && format == MatchFormat::kJsonLines) continue;
      EXPECT_EQ(text.append(answer, out), Code::kCorrupt) << answer;
    }
    // Cut anywhere it is an error or fewer hits, and never a crash.
    for (std::size_t bytes = 0; bytes < kAnswer.size(); ++bytes) {
      std::string out;
      const auto page = text.append(kAnswer.substr(0, bytes), out);
      EXPECT_FALSE(page) << bytes;
    }
  }
}

}  // namespace
}  // namespace frond::tools
