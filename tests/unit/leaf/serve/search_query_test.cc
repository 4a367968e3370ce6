// Searches: what is ranked, counted and sent.
#include "leaf/serve/search/search_query.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "leaf/engines.h"
#include "leaf/schedule/worker_pool.h"
#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::serve {
namespace {

using support::random_documents;
using wire::Mode;

TEST(SearchQuery, CountsAndRanksTheMatchesOfAllPartitions) {
  const auto documents = random_documents(500, 1);
  ServedCollection served(documents, 3);
  const auto both = served.search(request_of(Mode::kAnd, {"t2", "t5"}, 3));
  EXPECT_EQ(both.request_id, 42u);
  EXPECT_TRUE(both.has_and);
  EXPECT_FALSE(both.has_or);
  EXPECT_TRUE(both.unsearched.empty());
  EXPECT_EQ(both.and_ranking.matches, documents_with(documents, {"t2", "t5"}, true));
  // A document that has both terms scores the same with OR.
  auto all = request_of(Mode::kOr, {"t2", "t5"}, 3);
  all.depth = 500;
  std::vector<topk::Hit> wanted = served.search(all).or_ranking.hits;
  std::erase_if(wanted, [&](const topk::Hit& hit) {
    const auto& terms = documents[hit.ordinal].terms;
    return !terms.contains("t2") || !terms.contains("t5");
  });
  ASSERT_GT(wanted.size(), 10u);
  wanted.resize(10);
  EXPECT_EQ(both.and_ranking.hits, wanted);
  EXPECT_TRUE(both.or_ranking.hits.empty());
  const auto any = served.search(request_of(Mode::kOr, {"t2", "t5"}, 3));
  EXPECT_TRUE(any.has_or);
  EXPECT_EQ(any.or_ranking.matches, documents_with(documents, {"t2", "t5"}, false));
}

TEST(SearchQuery, AnswersAlikeForAnyNumberOfPartitions) {
  const auto documents = random_documents(300, 2);
  ServedCollection one(documents, 1), many(documents, 4);
  for (const Mode mode : {Mode::kAnd, Mode::kOr}) {
    for (const auto& terms : {std::vector<std::string>{"t3"}, {"t1", "t4"}, {"t2", "t2", "t8"}, {"t11", "t10", "t9"}}) {
      const auto a = one.search(request_of(mode, terms, 1)), b = many.search(request_of(mode, terms, 4));
      const auto& ranking = mode == Mode::kAnd ? a.and_ranking : a.or_ranking;
      const auto& same = mode == Mode::kAnd ? b.and_ranking : b.or_ranking;
      EXPECT_FALSE(ranking.hits.empty());
      EXPECT_EQ(ranking.hits, same.hits);
      EXPECT_EQ(ranking.matches, same.matches);
    }
  }
}

TEST(SearchQuery, CountsAndGivesTheFirstDocumentsWithoutRanking) {
  const auto documents = random_documents(400, 17);
  for (const std::uint32_t partitions : {1u, 3u}) {
    ServedCollection served(documents, partitions);
    for (const Mode mode : {Mode::kAnd, Mode::kOr})
      for (const auto& terms : {std::vector<std::string>{"t3"}, {"t1", "t4"}, {"t2", "t8", "t11"}, {"t1", "nowhere"}})
        for (const std::uint32_t depth : {0u, 5u, 1000u})
          for (const auto processor : {wire::Processor::kAuto, wire::Processor::kExhaustive}) {
            auto request = request_of(mode, terms, partitions);
            request.rank = wire::Rank::kNone;
            request.depth = depth;
            request.processor = processor;
            const auto reply = served.search(request);
            const wire::Ranking& found = mode == Mode::kAnd ? reply.and_ranking : reply.or_ranking;
            std::vector<topk::Hit> wanted;
            for (std::size_t i = 0; i < documents.size(); ++i)
              if (documents_with({documents[i]}, terms, mode == Mode::kAnd) != 0) wanted.push_back({i, 0});
            EXPECT_TRUE(found.exact);
            EXPECT_EQ(found.matches, wanted.size());
            if (wanted.size() > depth) wanted.resize(depth);
            EXPECT_EQ(found.hits, wanted);
          }
  }
}

// By the CPU's engine, which skips by bounds, and by the reference.
TEST(SearchQuery, RanksByK1AndBOfTheRequestAsIfTheCollectionWereBuiltWithThem) {
  const auto documents = random_documents(3000, 18);
  const auto cpu = *engine_named(kDefaultEngine);
  ServedCollection served(documents, 3);
  for (const scoring::Bm25Parameters bm25 : {scoring::Bm25Parameters{1.2, 0.75}, {0, 0.4}, {4, 1}, {2, 0}}) {
    ServedCollection built(documents, 1, {}, bm25);
    for (const Mode mode : {Mode::kAnd, Mode::kOr})
      for (const auto& terms : {std::vector<std::string>{"t3"}, {"t1", "t4"}, {"t2", "t2", "t8"}}) {
        const auto wanted = built.search(request_of(mode, terms, 1));
        auto request = request_of(mode, terms, 3);
        const auto usual = served.search(request);
        request.bm25 = bm25;
        support::InlineScheduler scheduler(served.clock);
        auto parts = served.parts(scheduler);
        const SearchParts by_cpu{parts.board, parts.lists, *cpu, parts.exhaustive, scheduler, served.clock};
        for (const auto& got : {served.search(request), served.search(request, by_cpu)}) {
          EXPECT_EQ(got.and_ranking.hits, wanted.and_ranking.hits) << bm25.k1 << " " << bm25.b;
          EXPECT_EQ(got.or_ranking.hits, wanted.or_ranking.hits) << bm25.k1 << " " << bm25.b;
          EXPECT_NE(got.and_ranking.hits.empty() ? got.or_ranking.hits : got.and_ranking.hits,
                    usual.and_ranking.hits.empty() ? usual.or_ranking.hits : usual.and_ranking.hits);
        }
      }
  }
}

// Whatever is asked for, a document's score is that of its terms and its prior, weighted.
TEST(SearchQuery, AddsPriorsToScores) {
  auto documents = random_documents(2000, 19);
  ServedCollection without(documents, 1);
  for (std::size_t i = 0; i < documents.size(); i += 3)
    documents[i].prior = static_cast<scoring::Prior>(i * 37 % (i % 90 == 0 ? 900'000 : 20'000));
  const auto cpu = *engine_named(kDefaultEngine);
  ServedCollection one(documents, 1), many(documents, 3);
  for (const Mode mode : {Mode::kAnd, Mode::kOr})
    for (const auto& terms : {std::vector<std::string>{"t3"}, {"t1", "t4"}, {"t2", "t2", "t8"}})
      for (const scoring::PriorWeight weight : {0u, 1u << 16, 5u << 15, scoring::kMaxPriorWeight}) {
        auto all = request_of(mode, terms, 1);
        all.depth = 2000;
        auto reply = without.search(all);
        auto wanted = mode == Mode::kAnd ? reply.and_ranking.hits : reply.or_ranking.hits;
        for (topk::Hit& hit : wanted) hit.score += scoring::weighted(documents[hit.ordinal].prior, weight);
        std::sort(wanted.begin(), wanted.end(), topk::better);
        wanted.resize(10);
        for (auto* const served : {&one, &many}) {
          auto request = request_of(mode, terms, served == &one ? 1 : 3);
          request.prior_weight = weight;
          support::InlineScheduler scheduler(served->clock);
          auto parts = served->parts(scheduler);
          const SearchParts by_cpu{parts.board, parts.lists, *cpu, parts.exhaustive, scheduler, served->clock};
          for (const auto& got : {served->search(request), served->search(request, by_cpu)})
            EXPECT_EQ(mode == Mode::kAnd ? got.and_ranking.hits : got.or_ranking.hits, wanted) << weight;
          request.rank = wire::Rank::kNone;
          const auto unranked = served->search(request, by_cpu);
          for (const auto& hit : (mode == Mode::kAnd ? unranked.and_ranking : unranked.or_ranking).hits)
            EXPECT_EQ(hit.score, 0u);
        }
      }
}

TEST(SearchQuery, CountsARepeatedTermTwice) {
  ServedCollection served(random_documents(50, 3), 1);
  const auto repeated = served.search(request_of(Mode::kOr, {"t1", "t3", "t1"}, 1));
  auto request = request_of(Mode::kOr, {"t1", "t3"}, 1);
  request.terms[0].occurrences = 2;
  EXPECT_EQ(repeated.or_ranking.hits, served.search(request).or_ranking.hits);
}

TEST(SearchQuery, FindsNothingWithAllTermsWhereOneIsUnknownAndIgnoresItForAny) {
  const auto documents = random_documents(50, 4);
  ServedCollection served(documents, 2);
  const auto both = served.search(request_of(Mode::kAnd, {"t1", "nowhere"}, 2));
  EXPECT_EQ(both.and_ranking.matches, 0u);
  EXPECT_TRUE(both.and_ranking.exact);
  const auto any = served.search(request_of(Mode::kOr, {"t1", "nowhere"}, 2));
  EXPECT_EQ(any.or_ranking.matches, documents_with(documents, {"t1"}, true));
  const auto none = served.search(request_of(Mode::kOr, {"nowhere"}, 2));
  EXPECT_TRUE(none.has_or);
  EXPECT_TRUE(none.or_ranking.hits.empty());
  EXPECT_TRUE(served.search(request_of(Mode::kAuto, {}, 2)).and_ranking.hits.empty());
}

TEST(SearchQuery, SendsOrTooWhereItsAndIsShort) {
  const auto documents = random_documents(200, 5);
  ServedCollection served(documents, 2);
  auto request = request_of(Mode::kAuto, {"t9", "t10"}, 2);
  request.auto_needs = static_cast<std::uint32_t>(documents_with(documents, {"t9", "t10"}, true));
  const auto enough = served.search(request);
  EXPECT_TRUE(enough.has_and);
  EXPECT_FALSE(enough.has_or);
  ++request.auto_needs;
  const auto short_of_one = served.search(request);
  EXPECT_TRUE(short_of_one.has_and);
  EXPECT_TRUE(short_of_one.has_or);
  EXPECT_EQ(short_of_one.and_ranking.hits, enough.and_ranking.hits);
  EXPECT_EQ(short_of_one.or_ranking.hits, served.search(request_of(Mode::kOr, {"t9", "t10"}, 2)).or_ranking.hits);
}

TEST(SearchQuery, SendsTheSameForAndAndOrOfOneTerm) {
  const auto documents = random_documents(5, 6);
  ServedCollection served(documents, 2);
  int searches = 0;
  served.engine.before = [&](const engine::Plan&) { ++searches; };
  const auto reply = served.search(request_of(Mode::kAuto, {"t0"}, 2));
  EXPECT_TRUE(reply.has_or);
  EXPECT_EQ(reply.or_ranking.hits.size(), 5u);
  EXPECT_EQ(reply.and_ranking.hits, reply.or_ranking.hits);
  EXPECT_EQ(searches, 2);
}

TEST(SearchQuery, AsksEnginesForAsManyAsAutoNeedsAndSendsAsManyAsWanted) {
  ServedCollection served(random_documents(200, 7), 1);
  auto request = request_of(Mode::kAuto, {"t0", "t1"}, 1);
  request.depth = 3;
  request.auto_needs = 30;
  served.engine.before = [&](const engine::Plan& plan) { EXPECT_EQ(plan.k, 30u); };
  EXPECT_EQ(served.search(request).and_ranking.hits.size(), 3u);
}

TEST(SearchQuery, TellsWhatItCostWhenAsked) {
  ServedCollection served(random_documents(60, 13), 2);
  auto request = request_of(Mode::kOr, {"t0", "t1"}, 2);
  EXPECT_TRUE(served.search(request).profile.empty());
  request.profile = true;
  request.processor = wire::Processor::kExhaustive;
  const auto reply = served.search(request);
  ASSERT_EQ(reply.profile.size(), 2u);
  EXPECT_EQ(reply.profile[1].partition, 1u);
  EXPECT_EQ(reply.profile[1].engine, "exhaustive");
  EXPECT_GT(reply.profile[1].postings, 30u);
}

TEST(SearchQuery, TellsWhatItCostWhenItTookLong) {
  ServedCollection served(random_documents(60, 13), 2);
  served.engine.before = [&](const engine::Plan&) { served.clock.advance(std::chrono::milliseconds(30)); };
  auto request = request_of(Mode::kOr, {"t0", "t1"}, 2);
  request.trace = {0x4bf92f3577b34da6, 0xa3ce929d0e0e4736};
  const auto ask = [&](std::chrono::milliseconds from) {
    request.profile_from = from;
    testing::internal::CaptureStderr();
    wire::SearchReply reply;
    {
      Logger log("leaf", LogLevel::kInfo);
      Complaint slow(&log);
      support::InlineScheduler scheduler(served.clock);
      SearchParts parts = served.parts(scheduler);
      parts.slow = &slow;
      reply = served.search(request, parts);
    }
    return std::pair(std::move(reply), testing::internal::GetCapturedStderr());
  };
  for (const auto from : {std::chrono::milliseconds(0), std::chrono::milliseconds(200)}) {
    const auto [reply, log] = ask(from);
    EXPECT_TRUE(reply.profile.empty()) << from.count();
    EXPECT_EQ(log, "") << from.count();
  }
  const auto [reply, log] = ask(std::chrono::milliseconds(60));
  EXPECT_EQ(reply.profile.size(), 2u);
  EXPECT_TRUE(reply.runs.empty());
  EXPECT_NE(
      log.find("\"message\":\"slow search\",\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\",\"took_us\":\"60000\""),
      std::string::npos)
      << log;
  EXPECT_EQ(log.find("t0"), std::string::npos) << "what it asks for";
}

TEST(SearchQuery, TellsHowEachModeRanOnALeafWithoutAGpu) {
  const auto documents = random_documents(60, 13);
  ServedCollection served(documents, 2);
  auto request = request_of(Mode::kAuto, {"t0", "t1"}, 2);
  request.auto_needs = 1000;
  EXPECT_TRUE(served.search(request).runs.empty());
  request.profile = true;
  const auto reply = served.search(request);
  ASSERT_EQ(reply.runs.size(), 2u);
  for (const wire::SearchRun& run : reply.runs) {
    EXPECT_EQ(run.mode, &run == &reply.runs[0] ? Mode::kAnd : Mode::kOr);
    EXPECT_EQ(run.reason, wire::RunReason::kNoGpu);
    EXPECT_EQ(run.queue, wire::RunQueue::kNone);
    EXPECT_TRUE(run.on_cpu && !run.on_gpu);
    EXPECT_EQ(run.partitions, 2u);
    EXPECT_EQ(run.terms, 2u);
    EXPECT_EQ(run.postings, documents_with(documents, {"t0"}, true) + documents_with(documents, {"t1"}, true));
    EXPECT_EQ(run.shortest, documents_with(documents, {"t1"}, true));
    EXPECT_EQ(run.second, documents_with(documents, {"t0"}, true));
    EXPECT_EQ(run.predicted_cpu_ns, 0u);
    EXPECT_EQ(run.batch_queries, 0u);
  }
  request.terms = {{"unknown", 1}};
  const auto nothing = served.search(request);
  ASSERT_FALSE(nothing.runs.empty());
  EXPECT_EQ(nothing.runs[0].reason, wire::RunReason::kNothing);
}

TEST(SearchQuery, AnswersAlikeFromManyThreads) {
  const auto documents = random_documents(400, 16);
  ServedCollection served(documents, 4);
  const auto expected = served.search(request_of(Mode::kAuto, {"t8", "t11", "t1"}, 4));
  schedule::WorkerPool pool({4, 100'000}, served.clock, nullptr);
  Searches searches(served.parts(pool));
  std::atomic<int> same{0};
  constexpr int kSearches = 300;
  for (int i = 0; i < kSearches; ++i)
    searches.start(request_of(Mode::kAuto, {"t8", "t11", "t1"}, 4), Deadline::never(),
                   [&](const wire::SearchReply& reply) {
                     same += reply.and_ranking.hits == expected.and_ranking.hits &&
                             reply.or_ranking.hits == expected.or_ranking.hits && reply.has_or == expected.has_or &&
                             reply.unsearched.empty();
                   });
  pool.drain();
  EXPECT_EQ(same, kSearches);
}

}  // namespace
}  // namespace frond::leaf::serve
