// Answers, the cache, and what unsearched partitions mean.
#include "broker/http/answers/answer.h"
#include "tests/unit/broker/http/search_service_fixture.h"

namespace frond::broker::http {
namespace {
using support::Answered;
using support::found;
using support::ScriptedBroker;

TEST_F(ASearchService, AnswersFromTheCacheTheSecondTime) {
  Answered first, second, other;
  service.search(asking("immune response"), first.reply());
  EXPECT_EQ(first.status(), 0);
  broker.play();
  EXPECT_EQ(first.body()["cache"], "miss");
  service.search(asking("Response, IMMUNE"), second.reply());
  EXPECT_EQ(second.body()["cache"], "hit");
  EXPECT_EQ(second.body()["hits"], first.body()["hits"]);
  EXPECT_EQ(asked(), 1u);
  service.search(asking("immune immune response"), other.reply());
  EXPECT_EQ(asked(), 2u) << "a repeated term is another query";
  broker.play();
}
TEST_F(ASearchService, GivesAnAnswerItselfToWhoMakesAnother) {
  for (int time = 0; time < 2; ++time) {  // the second one is from the cache
    Answered replied;
    int found = 0;
    service.search(asking("immune response"), replied.reply(), {}, {}, {}, {}, [&](const Answer& answer) {
      ++found;
      EXPECT_TRUE(answer.whole());
      EXPECT_EQ(answer.pieces.hits.size(), nlohmann::json::parse("{" + answer.rest)["hits"].size());
    });
    broker.play();
    EXPECT_EQ(found, 1);
    EXPECT_EQ(replied.status(), 0);
  }
}
TEST_F(ASearchService, KeepsNoAnswerThatLacksAnExplanation) {
  auto parameters = asking("immune response");
  parameters.explain = true;
  for (const auto& [explanation, again] : {std::pair{R"({"missing":"the time was over"})", "miss"},
                                           {R"({"value":1})", "miss"},  // the last one was not kept, this one is
                                           {R"({"value":1})", "hit"}}) {
    Answered answered;
    service.search(parameters, answered.reply());
    if (broker.leaf().searches.open() > 0) {
      wire::SearchReply reply = found({{0, 9}});
      reply.documents = {{.ordinal = 0, .found = true, .id = "d0", .explanation = explanation}};
      broker.leaf().searches.answer(reply);
    }
    EXPECT_EQ(answered.body()["cache"], again);
    EXPECT_EQ(answered.body()["hits"][0]["explanation"], nlohmann::json::parse(explanation));
  }
}
// Their terms are the same, so they could share an entry of the cache.
TEST_F(ASearchService, SaysWhatItTookAsText) {
  for (int i = 0; i < 2; ++i) {
    for (const auto& [q, signs] : {std::pair{"cell growth", ""}, {"\"cell growth", "1"}, {"nosuch:cell growth", "1"}}) {
      Answered answered;
      service.search(asking(q), answered.reply());
      broker.play();
      EXPECT_EQ(answered.body()["cache"], i == 0 ? "miss" : "hit");
      const auto told = answered.body().value("signs_not_applied", nlohmann::json());
      EXPECT_EQ(told.is_null() ? "" : std::to_string(told.size()), signs) << told;
    }
  }
  auto counting = asking("nosuch:cell growth");
  counting.count = true;
  counting.k = 0;
  counting.mode = wire::Mode::kOr;
  counting.rank = wire::Rank::kNone;
  Answered counted, stop_words;
  service.search(counting, counted.reply());
  broker.play();
  EXPECT_EQ(counted.body()["signs_not_applied"].size(), 1u);
  service.search(asking("\"the"), stop_words.reply());
  EXPECT_EQ(stop_words.body()["signs_not_applied"].size(), 1u) << "no leaf is asked";
}
TEST_F(ASearchService, AnswersATextThatItKnowsWithoutReadingIt) {
  const std::string text = "q=cell";
  const auto ask = [&] {
    Answered answered;
    service.search(asking("cell"), answered.reply(), text);
    broker.play();
    return answered.body();
  };
  ask();
  EXPECT_FALSE(service.known_answer(text)) << "it was evaluated";
  const auto hit = ask();
  const auto known = service.known_answer(text);
  ASSERT_TRUE(known);
  auto body = nlohmann::json::parse(known->body);
  body["took_ms"] = hit["took_ms"];
  EXPECT_EQ(body, hit);
  EXPECT_EQ(service.cache().counters().hits, 2u);
  EXPECT_EQ(service.cache().counters().misses, 1u);
  EXPECT_FALSE(service.known_answer("q=cells"));
  broker.cluster.advance(std::chrono::milliseconds(500));
  broker.leaf().hellos.answer(support::hello({support::served(2, 2, {0, 1})}));
  EXPECT_FALSE(service.known_answer(text)) << "of another generation";
  EXPECT_EQ(service.cache().counters().misses, 1u) << "search() counts it";
}
TEST_F(ASearchService, KeepsApartWhatDiffersInAnyParameter) {
  std::vector<SearchParameters> all(8, asking("cell"));
  all[1].k = 5;
  all[2].offset = 1;
  all[3].mode = wire::Mode::kOr;
  all[4].processor = wire::Processor::kExhaustive;
  all[5].explain = true;
  all[6].fields = 0;
  all[7].fields = wire::kFieldTitle;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Answered answered;
    service.search(all[i], answered.reply());
    EXPECT_EQ(asked(), i + 1);
    broker.play();
    EXPECT_EQ(answered.status(), 200);
  }
}
TEST_F(ASearchService, BypassesTheCacheWhenToldAndWhenProfiling) {
  auto off = asking("cell");
  off.cache = false;
  auto profile = asking("cell");
  profile.profile = true;
  for (const auto& parameters : {off, off, profile, profile}) {
    Answered answered;
    service.search(parameters, answered.reply());
    broker.play();
    EXPECT_EQ(answered.body()["cache"], "bypass");
    EXPECT_EQ(answered.body().contains("profile"), parameters.profile);
  }
  EXPECT_EQ(asked(), 4u);
  EXPECT_EQ(service.cache().counters().entries, 0u);
}
TEST_F(ASearchService, NeverStoresAnAnswerWithUnsearchedPartitions) {
  Answered first, second;
  service.search(asking("cell"), first.reply());
  broker.leaf().searches.answer(found({{0, 9}}, {{1, wire::UnsearchedReason::kCorrupt}}));
  broker.play_fetches();
  EXPECT_EQ(first.status(), 200);
  EXPECT_EQ(first.body()["coverage"]["partitions_answered"], 1);
  EXPECT_EQ(service.cache().counters().entries, 0u);
  service.search(asking("cell"), second.reply());
  EXPECT_EQ(asked(), 2u);
  broker.play();
  EXPECT_EQ(second.body()["coverage"]["degraded"], nlohmann::json::array());
}
TEST_F(ASearchService, RefusesAPartialAnswerIfNoneIsWanted) {
  for (const auto& [reason, status] :
       {std::pair{wire::UnsearchedReason::kCorrupt, 503}, {wire::UnsearchedReason::kDeadline, 504}}) {
    Answered whole, partial;
    auto parameters = asking("cell");
    service.search(parameters, partial.reply());
    parameters.allow_partial = false;
    service.search(parameters, whole.reply());
    broker.leaf().searches.answer(found({{0, 9}}, {{1, reason}}));
    broker.play_fetches();
    if (broker.leaf().searches.open() > 0) {  // the one that will not have it in part asked again
      broker.leaf().searches.answer(found({{0, 9}}, {{1, reason}}));
      broker.play_fetches();
    }
    EXPECT_EQ(partial.status(), 200);
    EXPECT_EQ(whole.status(), status);
  }
}
TEST_F(ASearchService, TakesAQueryWithoutTermsAsAnEmptyAnswer) {
  for (const char* q : {"the", "", "!!"}) {
    Answered answered;
    service.search(asking(q), answered.reply());
    EXPECT_EQ(answered.status(), 200) << q;
    EXPECT_EQ(answered.body()["total"],
              nlohmann::json::parse(R"({"value":0,"relation":"eq","all_words":{"value":0,"relation":"eq"}})"));
  }
  EXPECT_EQ(asked(), 0u);
}
TEST_F(ASearchService, AnswersUnavailableWhenNoLeafIsUp) {
  broker.cluster.map.report_unavailable(broker.cluster.map.leaves()[0], "gone");
  Answered answered;
  service.search(asking("cell"), answered.reply());
  EXPECT_EQ(answered.status(), 503);
}
// A leaf that was the only one with a generation dies before the broker knows it: the broker turns to the generation,
// and back.
TEST_F(ASearchService, AsksTheGenerationThatIsServedNowWhenItsOwnIsLost) {
  for (const bool cached : {true, false}) {
    const Generation first = cached ? 1 : 3;
    auto parameters = asking("+immune +response");
    parameters.syntax = frond::query::Syntax::kQuery;
    parameters.mode = wire::Mode::kOr;
    parameters.cache = cached;
    Answered answered, shares;
    const auto turn_to = [&](Generation generation) {
      broker.leaf().news(support::hello({support::served(generation, 2, {0, 1})}));
      ASSERT_EQ(broker.cluster.map.topology()->generation, generation);
    };
    const auto lose = [&] {
      using enum wire::UnsearchedReason;
      broker.leaf().searches.answer(found({}, {{0, kUnknownGeneration}, {1, kUnknownGeneration}}));
    };
    turn_to(first);
    service.search(parameters, answered.reply());
    if (cached) service.search(parameters, shares.reply());
    turn_to(first + 1);
    lose();
    ASSERT_EQ(answered.status(), 0);
    ASSERT_EQ(broker.leaf().searches.open(), 1u);
    EXPECT_EQ(broker.leaf().searches.last().generation, first + 1);
    EXPECT_EQ(broker.leaf().searches.last().mode, wire::Mode::kAnd);
    broker.play();
    EXPECT_EQ(answered.status(), 200);
    EXPECT_EQ(answered.body()["generation"], first + 1);
    EXPECT_EQ(answered.body()["coverage"]["partitions_answered"], 2);
    if (cached) {
      EXPECT_EQ(shares.body()["hits"], answered.body()["hits"]);
    }
    EXPECT_EQ(answered.more + shares.more, 0);
    Answered again;
    service.search(parameters, again.reply());
    EXPECT_EQ(again.status(), cached ? 200 : 0);
    broker.play();
    EXPECT_NE(broker.registry.exposition().find(std::string("begun_anew_total ") + (cached ? "2" : "3")),
              std::string::npos);
    EXPECT_EQ(service.in_flight(), 0u);
  }
  Answered once;
  service.search(asking("cell"), once.reply());
  for (const Generation generation : {5u, 6u}) {
    broker.leaf().news(support::hello({support::served(generation, 2, {0, 1})}));
    using enum wire::UnsearchedReason;
    broker.leaf().searches.answer(found({}, {{0, kUnknownGeneration}, {1, kUnknownGeneration}}));
  }
  EXPECT_EQ(once.status(), 503);
  EXPECT_EQ(asked(), 7u);
}
TEST(ASearchServiceWithLimits, RefusesWhatIsPastThem) {
  ScriptedBroker broker({.max_depth = 100, .query_limits = {.max_terms = 3}, .allow_exhaustive = false});
  broker.up();
  const auto refused = [&](const SearchParameters& parameters) {
    Answered answered;
    broker.service.search(parameters, answered.reply());
    broker.play();
    return answered.status() == 400 ? answered.body()["parameter"].get<std::string>()
                                    : std::to_string(answered.status());
  };
  auto deep = asking("cell");
  deep.k = 100;
  EXPECT_EQ(refused(deep), "200");
  deep.offset = 1;
  EXPECT_EQ(refused(deep), "offset");
  EXPECT_EQ(refused(asking("one two three")), "200");
  EXPECT_EQ(refused(asking("one two three one")), "q") << "a repeated word counts";
  auto exhaustive = asking("cell");
  exhaustive.processor = wire::Processor::kExhaustive;
  EXPECT_EQ(refused(exhaustive), "processor");
}
TEST(ASearchServiceAtItsStart, AnswersUnavailable) {
  ScriptedBroker broker;
  Answered answered;
  broker.service.search(asking("cell"), answered.reply());
  EXPECT_EQ(answered.status(), 503);
}
}  // namespace
}  // namespace frond::broker::http
