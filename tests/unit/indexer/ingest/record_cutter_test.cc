// Where records begin and end, however the bytes come.
#include "indexer/ingest/records/record_cutter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

// Runs a format's cutter, with a small limit.
std::vector<std::string> cut(const SourceFormat* format, std::string_view content, std::size_t limit) {
  const support::ScratchFolder folder;
  ContentStream stream(ByteSource::open(write_in(folder, "x", content)).value());
  const auto cutter = format->cut(limit);
  std::vector<std::string> all;
  for (;;) {
    const std::optional<Cut> record = cutter->next(stream).value();
    if (!record) return all;
    all.push_back(std::to_string(record->number) + "@" + std::to_string(record->offset) + ":" +
                  (record->problem.empty() ? record->bytes : "!" + std::string(record->problem.substr(0, 24))));
  }
}
TEST(LineCutter, NumbersEveryLineAndDropsBlankOnes) {
  EXPECT_THAT(cut(&kTsv,
                  "\xef\xbb\xbf"
                  "a\r\n \n\nb",
                  100),
              ElementsAre("1@0:a", "4@9:b"));
}
TEST(LineCutter, ReportsALineOverTheLimitAndGoesOnBehindIt) {
  EXPECT_THAT(cut(&kTsv, "aaaa\nbbbbb\ncc\n" + std::string(300000, 'd') + "\ne\n", 4),
              ElementsAre("1@0:aaaa", "2@5:!longer than the limit of", "3@11:cc", "4@14:!longer than the limit of",
                          "5@300015:e"));
}
TEST(TrecCutter, CutsBetweenTagsWhereverTheyStand) {
  EXPECT_THAT(cut(&kTrec, "junk <DOC>a</DOC><DOC>b</DOC>\n<<DOC>c\n</DOC> tail <DO", 100),
              ElementsAre("1@5:a", "2@17:b", "3@31:c\n"));
}
TEST(TrecCutter, FindsTagsInAnyCase) {
  EXPECT_THAT(cut(&kTrec, "<doc>a</DOC><Doc>b\n<DOC>c</doc>", 100),
              ElementsAre("1@0:a", "2@12:!no </DOC> before the nex", "3@19:c"));
}
TEST(TrecCutter, FindsTagsAcrossPieces) {
  // Pieces end at fixed places. This tries every position of a tag around one of them.
  for (std::size_t pad = 4070; pad < 4110; ++pad) {
    const std::string body(pad, 'x');
    const std::vector<std::string> got = cut(&kTrec, "<DOC>" + body + "</DOC>\n<DOC>" + body + "</DOC>\n", 10000);
    ASSERT_EQ(got.size(), 2u) << pad;
    ASSERT_EQ(got[1], "2@" + std::to_string(pad + 12) + ":" + body);
  }
}
TEST(TrecCutter, ReportsDocumentsWithoutAnEnd) {
  EXPECT_THAT(cut(&kTrec, "<DOC>a\n<DOC>b</DOC>\n<DOC>c", 100),
              ElementsAre("1@0:!no </DOC> before the nex", "2@7:b", "3@20:!no </DOC> before the end"));
}
TEST(TrecCutter, ReportsADocumentOverTheLimitAndGoesOnBehindIt) {
  const std::string large = "<DOC>" + std::string(100000, 'x') + "</DOC>";
  EXPECT_THAT(cut(&kTrec, large + "<DOC>b</DOC>", 20), ElementsAre("1@0:!longer than the limit of", "2@100011:b"));
}

TEST(JsonCutter, CutsValuesWhereverTheyStand) {
  EXPECT_THAT(cut(&kJson, "\xef\xbb\xbf [ {\"a\": \"}]\\\"\"} ,\n{\"b\": [1, {}]}, 7, \"x y\"]\n{}", 100),
              ElementsAre("1@6:{\"a\": \"}]\\\"\"}", "2@22:{\"b\": [1, {}]}", "3@38:7", "4@41:\"x y\"", "5@48:{}"));
  EXPECT_THAT(cut(&kJson, "{\n \"a\": 1\n}\n{\n}", 100), ElementsAre("1@0:{\n \"a\": 1\n}", "2@12:{\n}"));
  EXPECT_THAT(cut(&kJson, "[]", 100), IsEmpty());
}
TEST(JsonCutter, GoesOnBehindWhatIsNoValue) {
  EXPECT_THAT(cut(&kJson, "}}{} x:y {\"", 100),
              ElementsAre("1@0:}", "2@1:}", "3@2:{}", "4@5:x:y", "5@9:!the file ends inside a J"));
  EXPECT_THAT(cut(&kJson, "[[1,2],{\"a\":" + std::string(300000, '1') + "},{}]", 20),
              ElementsAre("1@1:[1,2]", "2@7:!longer than the limit of", "3@300014:{}"));
}
TEST(JsonCutter, FindsEndsAcrossPieces) {
  const std::string value = "{\"a\": \"\\\\\\\"}\"}";
  for (std::size_t pad = 256 * 1024 - 20; pad < 256 * 1024 + 20; ++pad) {
    const std::vector<std::string> got = cut(&kJson, std::string(pad, ' ') + value + value, 1000);
    ASSERT_EQ(got.size(), 2u) << pad;
    ASSERT_EQ(got[0], "1@" + std::to_string(pad) + ":" + value);
  }
}
TEST(JsonCutter, EndsAValueWithoutAnEndBeforeTheNextLineThatBeginsLikeIt) {
  // A brace and a quotation mark are missing. What is inside values is indented further.
  EXPECT_THAT(cut(&kJson, "[\n {\"a\":\n  {}\n,\n {\"b\": \"x},\n {\"c\": 1},\n {\n  \"d\": 2\n }]", 1000),
              ElementsAre("1@3:!a JSON value that does n", "2@17:!a JSON value that does n", "3@29:{\"c\": 1}",
                          "4@40:{\n  \"d\": 2\n }"));
  // The bracket of the list is not that of the object.
  EXPECT_THAT(cut(&kJson, "[\n{\"a\": 1\n,\n{\"b\": 2}\n]", 1000),
              ElementsAre("1@2:!a JSON value that does n", "2@12:{\"b\": 2}"));
  // Also if that is not seen before the value is longer than the limit.
  const std::string tail = "{\"b\": \"" + std::string(400000, 'x') + "\"}\n";
  const std::vector<std::string> got = cut(&kJson, "{\"a\":\n" + tail + "{}", 300000);
  EXPECT_THAT(got, ElementsAre("1@0:!a JSON value that does n", "2@6:!longer than the limit of", "3@400016:{}"));
  // Each byte is read twice at most.
  std::string open = "[";
  for (int i = 0; i < 100'000; ++i) open += "{\"a\":\n";
  EXPECT_EQ(cut(&kJson, open, 1 << 20).size(), 100'000u);
}
TEST(CsvCutter, ReadsOnBehindTheLineOfAQuotationMarkThatIsNeverClosed) {
  EXPECT_THAT(cut(&kCsv, "id,text\n1,a\n2,\"open\n3,b\n\n4,c\n5,d", 100),
              ElementsAre("2@8:1,a", "3@12:!a quotation mark that is", "4@20:3,b", "6@25:4,c", "7@29:5,d"));
  // Or closed by what opens a later field.
  EXPECT_THAT(cut(&kCsv, "id;text\r\n2;\"open\r\n3;b\r\n4;\"c;\"\r\n5;d\r\n", 100),
              ElementsAre("2@9:!a quotation mark that is", "3@18:3;b", "4@23:4;\"c;\"", "5@31:5;d"));
  EXPECT_THAT(cut(&kCsv, "id,text\n2,\"open\n3,\"b,\nc\"\n4,\"d\n\"\"e\"\"\"\n5,\"", 100),
              ElementsAre("2@8:!a quotation mark that is", "3@16:3,\"b,\nc\"", "4@25:4,\"d\n\"\"e\"\"\"",
                          "5@37:!a quotation mark that is"));
  // Or too far away.
  EXPECT_THAT(
      cut(&kCsv, "id,text\n2,\"open\n3,b\n4,\"" + std::string(400000, 'x') + "\"\n5,d\n", 300000),
      ElementsAre("2@8:!a quotation mark that is", "3@16:3,b", "4@20:!longer than the limit of", "5@400025:5,d"));
}
TEST(CsvCutter, TakesAFileThatEndsInsideProseForOneBadRecord) {
  EXPECT_THAT(cut(&kCsv, "id,title,text\n1,t,\"Some\nprose that\nis cut off", 100),
              ElementsAre("2@14:!a quotation mark that is"));
  EXPECT_THAT(cut(&kCsv, "id,title,text\n1,t,\"Some\nprose, of\n\"\"three\"\" lines\"\n2,t,x\n", 100),
              ElementsAre("2@14:1,t,\"Some\nprose, of\n\"\"three\"\" lines\"", "3@51:2,t,x"));
}
TEST(CsvCutter, CutsRowsWithLineEndsInQuotes) {
  EXPECT_THAT(cut(&kCsv, "\xef\xbb\xbfid,text\r\n1,\"a\nb\"\"\n\"\r\n\n2,5\" wide\n3,x", 100),
              ElementsAre("2@12:1,\"a\nb\"\"\n\"", "4@25:2,5\" wide", "5@35:3,x"));
  EXPECT_THAT(cut(&kCsv, "id;text\n1;\"a;\n\"\n", 100), ElementsAre("2@8:1;\"a;\n\""));
}
TEST(CsvCutter, RefusesAFileWhoseHeaderNamesNoText) {
  EXPECT_THAT(cut(&kCsv, "a,b\n1,2\n", 100), ElementsAre("1@0:!the header names no colu"));
}

}  // namespace
}  // namespace frond::indexer::ingest
