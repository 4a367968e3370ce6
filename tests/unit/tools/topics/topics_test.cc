#include "tools/topics/topics.h"

#include <gtest/gtest.h>

namespace frond::tools {
namespace {

std::string shown(std::string_view file, std::string_view field = {}) {
  const auto topics = parse_topics(file, field);
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
  EXPECT_EQ(
      shown("{\"query\": \"x\"}\n{\"tags\": []}\n"),
      "error: line 2: no \"query\", \"text\", \"title\" or \"question\"; it has \"tags\": name one by --topic-field");
  EXPECT_EQ(shown("{\"query\": \n"), "error: line 2: not JSON");
  EXPECT_EQ(shown("{\"query\": \"a\"}\nb\n"), "error: line 2: not a JSON object");
  EXPECT_EQ(shown("# queries\n{\"query\": \"a\"}\n"), "error: line 2: a JSON object among lines that are none");
}

TEST(Topics, AreReadFromOneJsonValue) {
  EXPECT_EQ(shown("[\n {\"question_id\":\"Q1\",\n  \"query\":\"virus origin\"},\n {\"query\": \"b\"}\n]\n"),
            "Q1=virus origin;2=b;");
  EXPECT_EQ(shown("[{\"qid\":1,\"Text\":\"a\"}]"), "1=a;");
  EXPECT_EQ(shown("{\n\"topics\": [{\"number\": 4, \"title\": \"a\"}]}"), "4=a;");
  EXPECT_EQ(shown("{\"301\": \"a b\",\n \"302\": \"c\"}"), "301=a b;302=c;");
  EXPECT_EQ(shown("{\"7\": {\"title\": \"a\"}}"), "7=a;");
  EXPECT_EQ(shown("[1]"), "1=[1];") << "words";
  EXPECT_EQ(shown("[{\"query\": \"a\"}, 2]"), "error: topic 2: not a JSON object");
  EXPECT_EQ(shown("[\n{\"query\": \"a\",}\n]"), "error: line 2: not JSON");
  EXPECT_EQ(shown("{\"a\": 1e400,\n}"), "error: a number is too large for a double");
  EXPECT_EQ(shown("{\"a\": [1]}"),
            "error: topic 1: no \"query\", \"text\", \"title\" or \"question\"; it has \"a\": name one by "
            "--topic-field");
  EXPECT_EQ(shown("[{\"id\": 3, \"narrative\": \"n\", \"query\": \"q\"}]", "narrative"), "3=n;");
}

TEST(Topics, AreReadFromTheDocForm) {
  EXPECT_EQ(shown("<DOC>\n<DOCNO> 1 </DOCNO>\n\n TSS (Time\n Sharing)?\n</DOC>\n<DOC><DOCNO>2</DOCNO>x</DOC>\n"),
            "1=TSS (Time Sharing)?;2=x;");
  EXPECT_EQ(shown("<DOC><DOCNO>1</DOCNO>x"), "error: topic 1 (line 1): <doc> without </doc>");
  EXPECT_EQ(shown("<DOC>x</DOC>"), "error: topic 1 (line 1): <doc> without <docno>");
}

TEST(Topics, AreReadFromTrecTopicsByTheirTitles) {
  EXPECT_EQ(shown("<top>\n<num> Number: 301\n<title> Organized Crime\n\n<desc> Description:\nWho?\n</top>\n"
                  "<top><num>302</num><title>Polio</title></top>"),
            "301=Organized Crime;302=Polio;");
  EXPECT_EQ(shown("<top><num>1<title>Topic: A < B & C</top>"), "1=A < B & C;");
  EXPECT_EQ(shown("<topics>\n<top lang='en'>\n<num>176</num>\n<title>virus <i>origin</i></title>\n</top>\n</topics>\n"),
            "176=virus origin;");
  EXPECT_EQ(shown("<TOP>\n<NUM>7</NUM>\n<TITLE>virus</TITLE>\n</TOP>\n"), "7=virus;");
  EXPECT_EQ(shown("<top>\n<num> Number: MB1 </num>\n<query> virus origin </query>\n</top>\n"), "MB1=virus origin;");
  EXPECT_EQ(shown("<top><title>x</top>"),
            "error: topic 1 (line 1): <top> without <num>, and no attribute is its number");
  EXPECT_EQ(shown("<top><num>1<title></title></top>"), "error: topic 1 (line 1): no words");
  EXPECT_EQ(shown("<top><num>1<title>a\n<top><num>2<title>b</top>"), "error: topic 1 (line 1): <top> without </top>");
  EXPECT_EQ(shown("<top><num>1<title>a</top>\nb\n"), "error: line 2: text outside of <top>");
  EXPECT_EQ(shown("queries:\n<top><num>1<title>a</top>\n"), "error: line 1: text outside of <top>");
  EXPECT_EQ(shown("<top><num>1<title>a</top>\n</top>"), "error: line 2: </top> without <top>");
}

TEST(Topics, AreReadFromXml) {
  EXPECT_EQ(
      shown("<?xml version=\"1.0\"?>\n<!-- <top> -->\n<topics task=\"x\">\n  <topic number=\"1\" a='>'>\n"
            "    <query>virus &amp; <![CDATA[<origin>]]> &#233;&#x1F600;&x;</query>\n    <question>what</question>\n"
            "  </topic>\n</topics>\n"),
      "1=virus & <origin> \xc3\xa9\xf0\x9f\x98\x80&x;;");
  EXPECT_EQ(shown("<topics><topic number=\"1\">\nPatient is 45\n</topic></topics>"), "1=Patient is 45;");
  EXPECT_EQ(shown("<parameters><query><number>301</number><text>a b</text></query></parameters>"), "301=a b;");
  EXPECT_EQ(
      shown("<topics><topic number=\"1\"><disease>a</disease><gene>b</gene></topic></topics>"),
      "error: topic 1 (line 1): none of <title>, <query>, <text>, <question>; it has <disease>, <gene>: name one by "
      "--topic-field");
  EXPECT_EQ(shown("<topics><topic number=\"1\"><title>a</title><Desc>b</Desc></topic></topics>", "desc"), "1=b;");
  EXPECT_EQ(shown("<html><p>x</p></html>"), "error: has tags, but none of <top>, <topic>, <DOC> and <query>");
}

TEST(Topics, AreReadFromSmartsForm) {
  EXPECT_EQ(shown(".I 1\n.T\ntitle\n.W\n two\nwords\n.B\n(1)\n.I 2\n.T\nonly a title\n"),
            "1=two words;2=only a title;");
  EXPECT_EQ(shown(".I 1\n.A\nsomebody\n"), "error: line 1: no words");
}

TEST(Topics, ThatAreSomethingElseAreRefused) {
  EXPECT_EQ(shown("1 Q0 d1 1 2.5 frond\n"), "error: is a run, not topics");
  EXPECT_EQ(shown("301 0 FBIS3-1 1\n301 0 FBIS3-2 0\n"), "error: holds relevance judgments, not topics");
  EXPECT_EQ(shown("qid,query\n1,a\n"), "error: is CSV: give an id, a tab and words on each line");
  EXPECT_EQ(shown("query-id"), "1=query-id;");
  EXPECT_EQ(shown("qid\tquery\n1\ta\n"), "1=a;") << "the names of columns are no topic";
  EXPECT_EQ(shown(std::string_view("a\0b", 3)), "error: is no text: byte 1 is zero");
  EXPECT_EQ(shown("\xff\xfe"
                  "1"),
            "error: is UTF-16: pass it as <(iconv -f UTF-16 -t UTF-8 FILE)");
  EXPECT_EQ(shown("BZh91AY"), "error: is compressed by bzip2: pass it as <(bzcat FILE)");
  EXPECT_EQ(shown("1\ta\n2\t\n"), "error: line 2: no words");
  EXPECT_EQ(shown("a b", "desc"), "error: has no elements or members of which one could be desc");
}

TEST(Topics, OfOneIdAreTold) {
  const auto topics = parse_topics("1\ta\n2\tb\n1\tc\n");
  ASSERT_TRUE(topics.has_value());
  const auto distinct = check_distinct_ids(*topics);
  ASSERT_FALSE(distinct.has_value());
  EXPECT_EQ(distinct.error().message(), "topics 1 and 3 have one id, \"1\"");
}

TEST(Topics, TakeTimeInProportion) {
  std::string open = "<top><num>1";
  for (int i = 0; i < 300'000; ++i) open += "<a>";
  EXPECT_NE(shown(open + "</top>").find("none of <title>"), std::string::npos);
}

TEST(Topics, ArePlainLinesOtherwise) { EXPECT_EQ(shown("two words\n\n12 monkeys\n"), "1=two words;3=12 monkeys;"); }

TEST(Topics, ThatAreNotUtf8AreTakenToBeLatin1) { EXPECT_EQ(shown("1:caf\xe9\n"), "1=caf\xc3\xa9;"); }

TEST(Topics, OfAnEmptyFileAreRefused) {
  EXPECT_EQ(shown(""), "error: holds no topic");
  EXPECT_EQ(read_topics("/nonexistent/topics"), Code::kNotFound);
}

}  // namespace
}  // namespace frond::tools
