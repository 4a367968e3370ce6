#include "tools/client/answer.h"

#include <gtest/gtest.h>

namespace frond::tools {
namespace {

const std::string kWhole =
    R"({"took_ms":1.5,"timed_out":false,"generation":3,"cache":"hit","coverage":{"partitions_total":2,"partitions_answered":1,)"
    R"("degraded":[{"partition":1,"reason":"deadline"}]},"total":{"value":12,"relation":"gte","all_words":{"value":5,"relation":"eq"}},)"
    R"("hits":[{"id":"d1","score":7.25,"title":"T","url":"u","snippet":"say \"cache\":\"hit\""}],)"
    R"("signs_not_applied":[{"text":"-lazy","position":0,"expected":"x"},{"text":"\"a b\"","position":9,"expected":"y"}]})";

TEST(Answer, IsReadWhole) {
  const auto answer = parse_answer(200, kWhole);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->total, 12u);
  EXPECT_FALSE(answer->total_exact);
  EXPECT_EQ(answer->all_words, 5u);
  EXPECT_TRUE(answer->all_words_exact);
  EXPECT_EQ(answer->unsearched, 1u);
  ASSERT_EQ(answer->hits.size(), 1u);
  EXPECT_EQ(answer->hits[0].id, "d1");
  EXPECT_EQ(answer->hits[0].score, "7.25");
  EXPECT_EQ(answer->signs, (std::vector<std::string>{"-lazy (expected x)", "\"a b\" (expected y)"}));
}

TEST(Answer, IsSummedUpInALine) {
  EXPECT_EQ(summary(*parse_answer(200, kWhole)),
            "at least 12 documents, 5 with all words, in 1.5 ms, from the cache; 1 partition did not answer");
  const auto of = [](const char* total) {
    return summary(*parse_answer(200, std::string(R"({"hits":[],"took_ms":2,"total":)") + total + "}"));
  };
  EXPECT_EQ(of(R"({"value":90,"relation":"gte","all_words":{"value":40,"relation":"gte"}})"),
            "at least 90 documents, at least 40 with all words, in 2 ms");
  EXPECT_EQ(of(R"({"value":1,"relation":"eq"})"), "1 document in 2 ms");
}

TEST(Answer, SaysWhyNothingWasAsked) {
  EXPECT_EQ(parse_answer(200, kWhole)->empty_query, "");
  EXPECT_EQ(parse_answer(200, R"({"hits":[],"empty_query":"stop_words"})")->empty_query, "stop_words");
}

TEST(Answer, OfAnErrorStatusCarriesTheProblem) {
  const auto answer = parse_answer(400, R"({"title":"bad request","detail":"k is not a number","parameter":"k"})");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message(), "status 400: bad request: k is not a number: k");
  EXPECT_EQ(parse_answer(503, "not json").error().code(), Code::kUnavailable);
}

TEST(Answer, OfASortedSearchHasValuesAndACursor) {
  const auto answer = parse_answer(200, R"({"hits":[{"id":"a","sort":[2010,null,"x"]}],"cursor":"c"})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->hits[0].sort, (std::vector<std::string>{"2010", "", "x"}));
  EXPECT_EQ(answer->hits[0].score, "");
  EXPECT_EQ(answer->cursor, "c");
}

TEST(Answer, HasFacetsAsTables) {
  const auto answer = parse_answer(
      200,
      R"({"hits":[],"facets":{"tag":{"buckets":[{"value":"caf\u00e9\u001b[2J","count":120},{"value":"","count":7}],)"
      R"("other":3,"missing":0},"year":{"buckets":[{"to":2000,"count":1},{"from":2000,"to":2010,"count":20},)"
      R"({"from":2010,"count":3}],"missing":4},"price":{"count":2,"min":-1.5,"max":3,"sum":1.5,"mean":0.75},)"
      R"("none":{"value":0}}})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(
      facet_tables(answer->facets),
      "\ntag\n  caf\xc3\xa9 [2J  120\n  (empty)     7\n  (other)     3\n"
      "\nyear\n  below 2000           1\n  2000 to below 2010  20\n  from 2010            3\n  (missing)            4\n"
      "\nprice\n  count     2\n  min    -1.5\n  max       3\n  sum     1.5\n  mean   0.75\n"
      "\nnone\n  value  0\n");
}

TEST(Answer, HasFacetsInFacetsBelowTheirBuckets) {
  const auto answer = parse_answer(
      200, R"({"hits":[],"facets":{"tag":{"buckets":[{"value":"x","count":2,"facets":{"n":{"value":3}}}],"other":0},)"
           R"("f":{"buckets":[{"name":"old","count":4}]},"p":{"percentiles":[{"percent":50.0,"value":7}]},)"
           R"("m":{"count":1,"facets":{"n":{"value":5}}}}})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(facet_tables(answer->facets),
            "\ntag\n  x          2\n    n         \n      value  3\n\nf\n  old  4\n\np\n  50.0 %  7\n"
            "\nm\n  count      1\n    n         \n      value  5\n");
}

TEST(Answer, WithoutHitsOrScoresIsCorrupt) {
  for (const auto* body : {"", "[]", "{}", R"({"hits":3})", R"({"hits":[{"id":"a"}]})"})
    EXPECT_EQ(parse_answer(200, body).error().code(), Code::kCorrupt) << body;
}

TEST(AnswerMarks, CountAnswersOfManyLinesAndIgnoreText) {
  const auto marks =
      answer_marks(kWhole + "\n" + R"({"cache":"miss","coverage":{"degraded":[]},"hits":[]})" + "\n" + kWhole);
  EXPECT_EQ(marks.answered, 3u);
  EXPECT_EQ(marks.cache_hits, 2u);
  EXPECT_EQ(marks.unsearched, 2u);
}

TEST(AnswerMarks, TellProblemDocumentsFromAnswers) {
  const auto marks = answer_marks(kWhole + "\n" + R"({"status":429,"detail":"no \"hits\": today"})" + "\n");
  EXPECT_EQ(marks.answered, 1u);
}

TEST(Printable, ReplacesControlCharacters) { EXPECT_EQ(printable("a\x1b[2J\nb\x7f"), "a [2J b "); }

TEST(PrintableSnippet, TurnsMarksIntoHighlightsAndReferencesIntoCharacters) {
  EXPECT_EQ(printable_snippet("<mark>a</mark> &lt;b&gt; &amp;lt; &quot;c&#39;\x1b", "[", "]"), "[a] <b> &lt; \"c' ");
}

}  // namespace
}  // namespace frond::tools
