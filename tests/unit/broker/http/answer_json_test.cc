#include "broker/http/answers/answer_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/schema/json.h"

namespace frond::broker::http {
namespace {
std::string score_text(topk::Score score) {
  std::string out;
  append_score(out, score);
  return out;
}
std::string json_text(std::string_view text) {
  std::string out;
  schema::append_json_string(out, text);
  return out;
}

TEST(Score, IsPrintedExactly) {
  EXPECT_EQ(score_text(0), "0");
  EXPECT_EQ(score_text(65536), "1");
  EXPECT_EQ(score_text(65536 * 3 + 32768), "3.5");
  for (const topk::Score score : {1u, 7u, 65535u, 65537u, 1'234'567u, 0xfffffffeu, 0xffffffffu}) {
    EXPECT_EQ(std::stod(score_text(score)) * 65536, static_cast<double>(score));
    EXPECT_NE(score_text(score), score_text(score - 1));
  }
}
TEST(JsonText, EscapesWhatMustBe) {
  EXPECT_EQ(json_text("a\"b\\c\n\t\x01é"), "\"a\\\"b\\\\c\\n\\t\\u0001é\"");
  for (int c = 0; c < 256; ++c) {
    const std::string text = json_text(std::string(1, static_cast<char>(c)));
    EXPECT_TRUE(nlohmann::json::accept(text)) << c;
    if (c < 128) {
      EXPECT_EQ(nlohmann::json::parse(text).get<std::string>(), std::string(1, static_cast<char>(c)));
    }
  }
}
TEST(Snippet, IsSafeHtmlWithBalancedMarks) {
  EXPECT_EQ(snippet_html("a <b> & \x02"
                         "c\"'\x03 d"),
            "a &lt;b&gt; &amp; <mark>c&quot;&#39;</mark> d");
  EXPECT_EQ(snippet_html("\x03"
                         "a\x02"
                         "b\x02"
                         "c"),
            "a<mark>bc</mark>");
}
TEST(Answer, HasTheContractsMembers) {
  merge::Page page;
  page.generation = 7;
  page.partitions_total = 3;
  page.unsearched = {{1, wire::UnsearchedReason::kDeadline}};
  page.total.value = 41;
  page.total.exact = false;
  page.all_words = merge::Count{12, true};
  page.mode_used = wire::Mode::kAnd;
  page.hits = {{{5, 98304},
                "id",
                "title",
                "http://x/",
                "a \x02"
                "b\x03"}};
  const auto ran_on = [](std::uint32_t partition, std::string engine) {
    return wire::PartitionProfile{.partition = partition, .engine = std::move(engine)};
  };
  page.profile.leaves = {{"tcp://a", 5, {ran_on(0, "gpu"), ran_on(1, "")}, {}},
                         {"tcp://b", 6, {ran_on(2, "cpu"), ran_on(3, "gpu")}, {}}};
  const std::vector<wire::QueryTerm> terms = {{"b", 2}};
  const auto body = nlohmann::json::parse(render_answer(12'034, page.timed_out(), page.generation, "miss",
                                                        render_rest(page, {true, true, terms, {1.2, 0.75}})));
  EXPECT_EQ(body["took_ms"], 12.034);
  EXPECT_EQ(body["timed_out"], true);
  EXPECT_EQ(body["generation"], 7);
  EXPECT_EQ(body["cache"], "miss");
  EXPECT_EQ(body["coverage"], nlohmann::json::parse(R"({"partitions_total":3,"partitions_answered":2,
                                                        "degraded":[{"partition":1,"reason":"deadline"}]})"));
  EXPECT_EQ(body["total"],
            nlohmann::json::parse(R"({"value":41,"relation":"gte","all_words":{"value":12,"relation":"eq"}})"));
  EXPECT_EQ(body["hits"], nlohmann::json::parse(R"([{"id":"id","score":1.5,"title":"title","url":"http://x/",
      "snippet":"a <mark>b</mark>","score_fixed":98304,"ordinal":5}])"));
  EXPECT_EQ(body["explain"], nlohmann::json::parse(R"({"mode_used":"and","engines":["cpu","gpu"],"k1":1.2,"b":0.75,
                                                       "terms":[{"term":"b","occurrences":2}]})"));
  EXPECT_TRUE(body.contains("profile"));
  const auto plain = nlohmann::json::parse(render_answer(5, false, 7, "hit", render_rest(page, {})));
  EXPECT_EQ(plain["took_ms"], 0.005);
  EXPECT_FALSE(plain.contains("explain") || plain.contains("profile") || plain["hits"][0].contains("score_fixed"));
}
TEST(Answer, TellsHowEachLeafRanASearch) {
  merge::Page page;
  page.profile = {.search_us = 7, .fetch_us = 8, .leaves = {{"tcp://a", 5, {{3, "gpu", 1, 2, 3, 4}}, {}}}};
  wire::SearchRun run{.mode = wire::Mode::kOr, .on_gpu = true, .queue = wire::RunQueue::kEither};
  run.reason = wire::RunReason::kFreeFirst;
  run.resident = wire::Resident::kYes;
  run.k = 10;
  run.partitions = 2;
  run.terms = 3;
  run.postings = 900;
  run.blocks = 9;
  run.shortest = 100;
  run.second = 200;
  run.predicted_cpu_ns = 812'500;
  run.predicted_gpu_ns = 5'001;
  run.wait_ns = 12;
  run.batch_queries = 4;
  run.batch_plans = 8;
  run.build_ns = 1'000;
  run.transfer_ns = 2'000;
  run.kernel_ns = 3'000;
  run.answer_ns = 4'000;
  wire::SearchRun plain;  // of a leaf without a GPU
  plain.reason = wire::RunReason::kNoGpu;
  plain.on_cpu = true;
  plain.cpu_ns = 77'000;
  page.profile.leaves[0].runs = {run, plain};
  const auto profile = nlohmann::json::parse("{" + render_rest(page, {.profile = true}))["profile"];
  EXPECT_EQ(profile, nlohmann::json::parse(R"({"search_us":7,"fetch_us":8,"leaves":[{"leaf":"tcp://a","round_trip_us":5,
    "partitions":[{"partition":3,"engine":"gpu","queue_us":1,"lists_us":2,"engine_us":3,"postings":4}],
    "runs":[{"mode":"or","k":10,"partitions":2,"terms":3,"postings":900,"blocks":9,"shortest":100,"second":200,
             "resident":true,"predicted_cpu_us":812.5,"predicted_gpu_us":5.001,"queue":"either","processor":"gpu",
             "reason":"free_first","stolen":false,"wait_us":0.012,"cpu_us":0.0,
             "batch":{"queries":4,"plans":8,"build_us":1.0,"transfer_us":2.0,"kernel_us":3.0,"answer_us":4.0}},
            {"mode":"and","k":0,"partitions":0,"terms":0,"postings":0,"blocks":0,"shortest":0,"second":0,
             "queue":"none","processor":"cpu","reason":"no_gpu","stolen":false,"wait_us":0.0,"cpu_us":77.0}]}]})"));
}

TEST(Answer, HasTheFieldsThatAreWanted) {
  merge::Page page;
  page.hits = {{{5, 98304}, "id", "title", "http://x/", "a"}};
  for (unsigned fields = 0; fields <= wire::kAllFields; ++fields) {
    auto hit = nlohmann::json::parse(R"({"id":"id","score":1.5,"score_fixed":98304,"ordinal":5})");
    if (fields & wire::kFieldTitle) hit["title"] = "title";
    if (fields & wire::kFieldUrl) hit["url"] = "http://x/";
    if (fields & wire::kFieldSnippet) hit["snippet"] = "a";
    const auto rest = render_rest(page, {.explain = true, .fields = static_cast<std::uint8_t>(fields)});
    EXPECT_EQ(nlohmann::json::parse("{" + rest)["hits"], nlohmann::json::array({hit})) << fields;
  }
  page.hits[0].explanation = R"({"clause":"a","score":1.5})";
  EXPECT_EQ(nlohmann::json::parse("{" + render_rest(page, {.explain = true}))["hits"][0]["explanation"]["clause"], "a");
}
TEST(Answer, SaysWhereItsPiecesAre) {
  merge::Page page;
  page.total.value = 2;
  page.hits = {{{5, 98304}, "a\"b", "title"}, {{6, 65536}, "c", "title"}};
  page.hits[0].columns = R"({"year":2010,"source":{"x":[1]}})";
  Pieces pieces;
  const std::string rest = render_rest(
      page, {.fields = wire::kFieldTitle, .cursor = "next", .near = R"(,"did_you_mean":{"words":[]})"}, &pieces);
  ASSERT_EQ(pieces.hits.size(), 2u);
  EXPECT_EQ(pieces.total, page.total);
  EXPECT_EQ(pieces.hits[0].id.of(rest), R"("a\"b")");
  EXPECT_EQ(pieces.hits[0].score, 98304u);
  EXPECT_EQ(pieces.hits[0].columns.of(rest), R"("year":2010,"source":{"x":[1]})");
  EXPECT_EQ(pieces.hits[1].columns.size, 0u);
  EXPECT_EQ(pieces.hits[1].sort.size, 0u);
  EXPECT_EQ(pieces.cursor.of(rest), R"("next")");
  EXPECT_EQ(pieces.facets.size, 0u);
  EXPECT_EQ(pieces.near.of(rest), R"({"words":[]})");
  EXPECT_EQ(nlohmann::json::parse(pieces.coverage.of(rest)), nlohmann::json::parse("{" + rest)["coverage"]);
}
}  // namespace
}  // namespace frond::broker::http
