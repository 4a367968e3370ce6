#include "tools/topics.h"

#include <gtest/gtest.h>

namespace frond::tools {
namespace {

std::string shown(std::string_view file) {
  const auto topics = parse_topics(file);
  if (!topics) return "error: " + topics.error().message();
  std::string out;
  for (const auto& topic : *topics) out += topic.id + "=" + topic.text + ";";
  return out;
}

TEST(Topics, AreReadFromNumberedLines) { EXPECT_EQ(shown("1:after school\n2:a:b\r\n\n"), "1=after school;2=a:b;"); }

TEST(Topics, AreReadFromTabSeparatedColumnsOfWhichTheLastIsTheText) {
  EXPECT_EQ(shown("q1\tgenomes  project\nA B\t970916\tyahoo chat\n"), "q1=genomes project;A_B=yahoo chat;");
}

TEST(Topics, AreReadFromJsonLines) {
  EXPECT_EQ(shown("{\"query\": \"the\"}\n{\"_id\": 7, \"text\": \"a\\nb\"}\n"), "1=the;7=a b;");
  EXPECT_EQ(shown("{\"query\": \"x\"}\n{\"tags\": []}\n"), "error: line 2: no \"query\"");
  EXPECT_EQ(shown("{\"query\": \n"), "error: line 1: not a JSON object");
}

TEST(Topics, AreReadFromTheDocForm) {
  EXPECT_EQ(shown("<DOC>\n<DOCNO> 1 </DOCNO>\n\n TSS (Time\n Sharing)?\n</DOC>\n<DOC><DOCNO>2</DOCNO>x</DOC>\n"),
            "1=TSS (Time Sharing)?;2=x;");
  EXPECT_EQ(shown("<DOC><DOCNO>1</DOCNO>x"), "error: topic 1: <DOC> without </DOC>");
  EXPECT_EQ(shown("<DOC>x</DOC>"), "error: topic 1: <DOC> without <DOCNO>");
}

TEST(Topics, AreReadFromTrecTopicsByTheirTitles) {
  EXPECT_EQ(shown("<top>\n<num> Number: 301\n<title> Organized Crime\n\n<desc> Description:\nWho?\n</top>\n"
                  "<top><num>302</num><title>Polio</title></top>"),
            "301=Organized Crime;302=Polio;");
  EXPECT_EQ(shown("<top><title>x</top>"), "error: topic 1: <top> without <num>");
}

TEST(Topics, ArePlainLinesOtherwise) { EXPECT_EQ(shown("two words\n\n12 monkeys\n"), "1=two words;3=12 monkeys;"); }

TEST(Topics, ThatAreNotUtf8AreTakenToBeLatin1) { EXPECT_EQ(shown("1:caf\xe9\n"), "1=caf\xc3\xa9;"); }

TEST(Topics, OfAnEmptyFileAreRefused) {
  EXPECT_EQ(shown(""), "error: holds no topic");
  EXPECT_EQ(read_topics("/nonexistent/topics"), Code::kNotFound);
}

}  // namespace
}  // namespace frond::tools
