// Formats of one document a line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "indexer/ingest/encoding/encoding.h"
#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Result<Document> jsonl(std::string_view line) { return parse_record(raw(&kJsonl, line)); }
Result<Document> tsv(std::string_view line) { return parse_record(raw(&kTsv, line)); }
std::string reason(const Result<Document>& result) { return result ? "fine" : result.error().message(); }

TEST(Jsonl, TakesContentsOrTitleAndBody) {
  const Document one = jsonl(R"({"id":"a","contents":"c\u00e9\n"})").value();
  EXPECT_EQ(one.id + "|" + one.url + "|" + one.title + "|" + one.body, "a|||cé\n");
  const Document two = jsonl(R"({"url":"u","title":"t","body":"b","id":"a","more":[1,{"x":null}]})").value();
  EXPECT_EQ(two.id + "|" + two.url + "|" + two.title + "|" + two.body, "a|u|t|b");
  const Document three = jsonl(R"({"_id":"a","title":"t","text":"b","url":null})").value();
  EXPECT_EQ(three.id + "|" + three.url + "|" + three.title + "|" + three.body, "a||t|b");
}
TEST(Jsonl, TakesWholeNumbersForIds) {
  EXPECT_EQ(jsonl(R"({"id":42,"contents":""})")->id, "42");
  EXPECT_EQ(jsonl(R"({"id":-7,"contents":""})")->id, "-7");
  EXPECT_EQ(jsonl(R"({"id":18446744073709551615,"contents":""})")->id, "18446744073709551615");
  EXPECT_EQ(reason(jsonl(R"({"id":1.5,"contents":""})")), "\"id\" is neither a string nor a whole number");
}
TEST(Jsonl, SaysWhatIsWrong) {
  EXPECT_THAT(reason(jsonl(R"({"id":"a","contents":"x")")), StartsWith("broken JSON: "));
  EXPECT_THAT(reason(jsonl(R"({"id":"a","contents":"x"} {})")), StartsWith("broken JSON: "));
  EXPECT_THAT(reason(jsonl(std::string(2000, '['))), StartsWith("broken JSON: "));
  EXPECT_EQ(reason(jsonl("[1]")), "not a JSON object");
  EXPECT_THAT(reason(jsonl(R"({"contents":"x"})")), AllOf(StartsWith("no \"id\""), HasSubstr("--make-ids")));
  EXPECT_THAT(reason(jsonl(R"({"id":"","contents":"x"})")), StartsWith("no \"id\""));
  EXPECT_EQ(reason(jsonl(R"({"id":"a\n","contents":"x"})")), "the id has control characters");
  EXPECT_EQ(reason(jsonl(R"({"id":")" + std::string(513, 'x') + R"(","contents":"x"})")),
            "the id has 513 bytes, more than 512");
  EXPECT_THAT(reason(jsonl(R"({"id":"a"})")), AllOf(HasSubstr("none of \"contents\""), HasSubstr("--format files")));
  EXPECT_THAT(reason(jsonl(R"({"id":"a","contents":{"en":"x"}})")), StartsWith("\"contents\" holds an object; "));
  EXPECT_THAT(reason(jsonl(R"({"id":"a","title":[["x"]],"body":""})")),
              StartsWith("\"title\" holds a list of lists or objects; "));
}
TEST(Jsonl, TakesNumbersTruthValuesAndListsForText) {
  const Document document =
      jsonl(R"({"id":"a","url":["u"],"title":7,"text":["one",2,-3,2.5,true,null,18446744073709551615]})").value();
  EXPECT_EQ(document.url + "|" + document.title + "|" + document.body,
            "u|7|one\n2\n-3\n2.5\ntrue\n18446744073709551615");
  EXPECT_EQ(jsonl(R"({"id":"a","text":[]})")->body, "");
  EXPECT_EQ(jsonl(R"({"id":"a","text":false})")->body, "false");
}
TEST(Jsonl, TakesNumbersAsTheyAreWrittenWhateverTheirSize) {
  const std::string wide = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
  for (const std::string& value : {wide, "-" + wide, std::string("1e400"), std::string("-1E+400"), std::string("NaN"),
                                   std::string("Infinity"), std::string("[-Infinity, {\"x\": 1e999}]")})
    EXPECT_EQ(jsonl(R"({"id":"a","text":"x","other":)" + value + "}")->body, "x") << value;
  for (const std::string& value :
       {wide, std::string("1e400"), std::string("-1.50"), std::string("1E5"),
        std::string("0.1000000000000000000000000001"), std::string("12345678901234567890123")})
    EXPECT_EQ(jsonl(R"({"id":"a","text":[7,)" + value + R"(],"title":)" + value + "}")->body, "7\n" + value) << value;
  EXPECT_EQ(jsonl(R"({"id":)" + wide + R"(,"text":"x"})")->id, wide);
  EXPECT_EQ(jsonl(R"({"id":18446744073709551616,"text":"x"})")->id, "18446744073709551616");
  EXPECT_EQ(reason(jsonl(R"({"id":1e400,"text":"x"})")), "\"id\" is neither a string nor a whole number");
  EXPECT_THAT(reason(jsonl(R"({"id":"a","text":NaN})")), StartsWith("\"text\" holds NaN; "));
  for (const std::string value : {"007", "1.", ".5", "+1", "1e", "tru", "nan", "undefined", "0x1"})
    EXPECT_THAT(reason(jsonl(R"({"id":"a","text":"x","other":)" + value + "}")), StartsWith("broken JSON: ")) << value;
}
TEST(Jsonl, TakesHalfSurrogatePairsForU_FFFD) {
  EXPECT_EQ(jsonl(R"({"id":"a","text":"cut \ud83d"})")->body, "cut \xef\xbf\xbd");
  EXPECT_EQ(jsonl(R"({"id":"a","text":"\uDE00\ud83d\ude00\uD83D\\u0041\ud83dx"})")->body,
            "\xef\xbf\xbd\xf0\x9f\x98\x80\xef\xbf\xbd\\u0041\xef\xbf\xbdx");
  EXPECT_EQ(jsonl(R"({"id":"a","text":"whole","preview":"cut \ud83d","\udc00":1})")->body, "whole");
  EXPECT_EQ(jsonl(R"({"id":"\ud83d","text":"x"})")->id, "\xef\xbf\xbd");
  EXPECT_THAT(reason(jsonl(R"({"id":"a","text":"\ud8"})")), StartsWith("broken JSON: "));
  EXPECT_THAT(reason(jsonl(R"({"id":"a","text":"\x"})")), StartsWith("broken JSON: "));
}
TEST(Jsonl, IgnoresHowDeepOtherFieldsAre) {
  const std::string deep = std::string(3000, '[') + std::string(3000, ']');
  EXPECT_EQ(jsonl(R"({"other":)" + deep + R"(,"id":"a","text":"x"})")->body, "x");
  EXPECT_THAT(reason(jsonl(R"({"id":"a","text":)" + deep + "}")), StartsWith("\"text\" holds a list of lists"));
}
TEST(Jsonl, TakesFieldsByOtherNamesAndPaths) {
  const auto with = [](FieldNames names, std::string_view line) {
    names.paths = true;
    return parse_record(raw(&kJsonl, line), {.names = std::make_shared<const FieldNames>(std::move(names))});
  };
  const FieldNames one{.id = {"meta.key"}, .title = {"name"}, .body = {"article.body"}};
  const Document document =
      with(one, R"({"meta":{"key":12},"name":"t","article":{"body":["b","c"]},"text":"other","id":"x"})").value();
  EXPECT_EQ(document.id + "|" + document.title + "|" + document.body, "12|t|b\nc");
  const FieldNames parts{.body = {"abstract", "sections.text", "a.b"}, .join_bodies = true};
  EXPECT_EQ(
      with(parts, R"({"id":1,"sections":[{"text":"s"},{"n":1},{"text":["t","u"]}],"abstract":"a","a.b":2.50})")->body,
      "a\ns\nt\nu\n2.50");
  EXPECT_THAT(reason(with(one, R"({"id":"a","text":"x"})")),
              AllOf(HasSubstr("none of \"article.body\", \"name\""), HasSubstr("--text-field")));
  EXPECT_THAT(reason(with(one, R"({"name":"x"})")), HasSubstr("may be called \"meta.key\""));
}
TEST(Jsonl, TakesAPriorFromTheFieldThatIsNamed) {
  const auto with = [](std::string_view line) { return parse_record(raw(&kJsonl, line), {.prior_field = "rank"}); };
  EXPECT_EQ(with(R"({"id":"a","text":"x","rank":1})")->prior, 65536u);
  EXPECT_EQ(with(R"({"id":"a","text":"x","rank":0.5})")->prior, 32768u);
  EXPECT_EQ(with(R"({"id":"a","text":"x","rank":1000})")->prior, scoring::kMaxPrior);
  EXPECT_EQ(with(R"({"id":"a","text":"x","rank":1e-9})")->prior, 0u);
  EXPECT_EQ(with(R"({"id":"a","text":"x","rank":-0.0})")->prior, 0u);
  EXPECT_EQ(with(R"({"id":"a","text":"x","rank":null})")->prior, 0u);
  EXPECT_EQ(with(R"({"id":"a","text":"x"})")->prior, 0u);
  EXPECT_EQ(jsonl(R"({"id":"a","text":"x","rank":-3})")->prior, 0u);  // no field is named
  EXPECT_EQ(parse_record(raw(&kTsv, "a\tx"), {.prior_field = "rank"})->prior, 0u);
  EXPECT_EQ(reason(with(R"({"id":"a","text":"x","rank":-1})")), "\"rank\" is -1; priors are numbers from 0 to 1000");
  EXPECT_EQ(reason(with(R"({"id":"a","text":"x","rank":1000.01})")),
            "\"rank\" is 1000.01; priors are numbers from 0 to 1000");
  EXPECT_EQ(reason(with(R"({"id":"a","text":"x","rank":18446744073709551615})")),
            "\"rank\" is 18446744073709551615; priors are numbers from 0 to 1000");
  EXPECT_EQ(reason(with(R"({"id":"a","text":"x","rank":1e999})")),
            "\"rank\" is 1e999; priors are numbers from 0 to 1000");
  for (const std::string value : {"\"7\"", "true", "[1]", "{}", "NaN", "Infinity"})
    EXPECT_EQ(reason(with(R"({"id":"a","text":"x","rank":)" + value + "}")), "\"rank\" is the prior, but not a number");
}
TEST(Jsonl, KnowsTheNamesThatCollectionsUse) {
  EXPECT_EQ(jsonl(R"({"docid":"d","pid":"p","passage":"x"})")->id, "p");  // MS MARCO's passages have both
  EXPECT_EQ(jsonl(R"({"doc_id":"d","content":"x"})")->body, "x");
}
TEST(Jsonl, TakesLargeRecords) {
  const std::string text(6 << 20, 'x');
  EXPECT_TRUE(jsonl(R"({"id":"a","contents":")" + text + "\"}")->body == text);
}

TEST(Jsonl, RepairsWhatIsNotUtf8AndDropsNuls) {
  const Document document =
      jsonl("{\"id\":\"1\",\"title\":\"a\\u0000b\",\"url\":\"u\\u0000\",\"text\":\"caf\xe9 \\u0000words\"}").value();
  EXPECT_EQ(document.title + "|" + document.url + "|" + document.body, "ab|u|caf\uFFFD words");
}
TEST(Tsv, SplitsAtTheFirstTab) {
  const Document document = tsv("d1\tsome\ttext").value();
  EXPECT_EQ(document.id + "|" + document.title + "|" + document.body, "d1||some\ttext");
  EXPECT_EQ(tsv("d1\t")->body, "");
}
TEST(Tsv, TakesTheFourColumnsOfWebDocuments) {
  const Document document = tsv("d1\thttps://x.y/\tA title\tthe text").value();
  EXPECT_EQ(document.url + "|" + document.title + "|" + document.body, "https://x.y/|A title|the text");
  EXPECT_EQ(tsv("d1\thttps://x.y/\tthe text")->body, "https://x.y/\tthe text");
  EXPECT_EQ(tsv("d1\tno URL\tA title\tthe text")->body, "no URL\tA title\tthe text");
}
TEST(Tsv, RepairsWhatIsNotUtf8AndIsReadInTheEncodingOfItsFile) {
  EXPECT_EQ(tsv("a\tПогода \xc3 сегодня")->body, "Погода \uFFFD сегодня");
  EXPECT_EQ(tsv("a\tcaf\xe9 words")->body, "caf\uFFFD words");
  RawRecord record = raw(&kTsv, "a\tcaf\xe9 words");
  record.encoding = encoding_of("latin1");
  EXPECT_EQ(parse_record(record)->body, "café words");
}
TEST(Tsv, SaysWhatIsWrong) {
  EXPECT_EQ(reason(tsv("no tab here")), "no tab behind the id");
  EXPECT_THAT(reason(tsv("\ttext")), StartsWith("the id is empty; "));
}

}  // namespace
}  // namespace frond::indexer::ingest
