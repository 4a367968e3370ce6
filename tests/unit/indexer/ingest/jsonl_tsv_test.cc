// Formats of one document a line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_THAT(reason(jsonl("{\"id\":\"a\",\"contents\":\"\xff\"}")), StartsWith("broken JSON: "));
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
  for (const std::string value : {"\"7\"", "true", "[1]", "{}"})
    EXPECT_EQ(reason(with(R"({"id":"a","text":"x","rank":)" + value + "}")), "\"rank\" is the prior, but not a number");
  for (const std::string value : {"NaN", "1e999", "Infinity"})
    EXPECT_THAT(reason(with(R"({"id":"a","text":"x","rank":)" + value + "}")), StartsWith("broken JSON: "));
}
TEST(Jsonl, KnowsTheNamesThatCollectionsUse) {
  EXPECT_EQ(jsonl(R"({"docid":"d","pid":"p","passage":"x"})")->id, "p");  // MS MARCO's passages have both
  EXPECT_EQ(jsonl(R"({"doc_id":"d","content":"x"})")->body, "x");
}
TEST(Jsonl, TakesLargeRecords) {
  const std::string text(6 << 20, 'x');
  EXPECT_TRUE(jsonl(R"({"id":"a","contents":")" + text + "\"}")->body == text);
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
TEST(Tsv, SaysWhatIsWrong) {
  EXPECT_EQ(reason(tsv("no tab here")), "no tab behind the id");
  EXPECT_THAT(reason(tsv("\ttext")), StartsWith("the id is empty; "));
  EXPECT_EQ(reason(tsv("a\t\xc3")), "not valid UTF-8");
}

}  // namespace
}  // namespace frond::indexer::ingest
