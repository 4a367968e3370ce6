// One line to a document.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer {
namespace {

using testing::StartsWith;

Result<Document> jsonl(std::string_view line) { return parse_record(raw(Format::kJsonl, line)); }
Result<Document> tsv(std::string_view line) { return parse_record(raw(Format::kTsv, line)); }
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
  EXPECT_EQ(reason(jsonl(R"({"contents":"x"})")), "no \"id\"");
  EXPECT_EQ(reason(jsonl(R"({"id":"","contents":"x"})")), "the id is empty");
  EXPECT_EQ(reason(jsonl(R"({"id":"a\n","contents":"x"})")), "the id has control characters");
  EXPECT_EQ(reason(jsonl(R"({"id":")" + std::string(1025, 'x') + R"(","contents":"x"})")),
            "the id is longer than 1024 bytes");
  EXPECT_EQ(reason(jsonl(R"({"id":"a"})")), "neither \"contents\" nor \"title\" nor \"body\"");
  EXPECT_EQ(reason(jsonl(R"({"id":"a","contents":3})")), "\"contents\" is not a string");
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
TEST(Tsv, SaysWhatIsWrong) {
  EXPECT_EQ(reason(tsv("no tab here")), "no tab behind the id");
  EXPECT_EQ(reason(tsv("\ttext")), "the id is empty");
  EXPECT_EQ(reason(tsv("a\t\xc3")), "not valid UTF-8");
}

}  // namespace
}  // namespace frond::indexer
