// Searches with clauses and filters: the same answers as words where they mean the same, and what is only theirs.
#include <gtest/gtest.h>

#include "common/query/json/clause_json.h"
#include "leaf/engines.h"
#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::serve {
namespace {

using support::random_documents;
using wire::Mode;

std::string words(std::string_view text, query::Mode mode) {
  return query::clause_json({query::Words{"", std::string(text), mode}});
}

wire::SearchRequest clause_request(Mode mode, std::string clause, std::uint32_t partitions) {
  wire::SearchRequest request = request_of(mode, {}, partitions);
  request.clause = std::move(clause);
  return request;
}

TEST(SearchQueryWithClauses, RanksWordsAsTermsAreRanked) {
  ServedCollection served(random_documents(300, 8), 3);
  const wire::SearchReply terms = served.search(request_of(Mode::kOr, {"t3", "t7"}, 3));
  ASSERT_EQ(terms.or_ranking.hits.size(), 10u);
  wire::SearchRequest request = clause_request(Mode::kOr, words("t3 t7", query::Mode::kOr), 3);
  for (const auto processor : {wire::Processor::kAuto, wire::Processor::kExhaustive}) {
    request.processor = processor;
    const wire::SearchReply reply = served.search(request);
    EXPECT_TRUE(reply.unsearched.empty());
    EXPECT_EQ(reply.or_ranking.hits, terms.or_ranking.hits);
    EXPECT_EQ(reply.or_ranking.matches, terms.or_ranking.matches);
    EXPECT_TRUE(reply.or_ranking.exact);
  }
}

TEST(SearchQueryWithClauses, SearchesAutoAsAndThenAsOr) {
  ServedCollection served(random_documents(300, 8), 3);
  wire::SearchRequest flat = request_of(Mode::kAuto, {"t3", "t9", "t11"}, 3);
  wire::SearchRequest request = clause_request(Mode::kAuto, words("t3 t9 t11", query::Mode::kAuto), 3);
  flat.auto_needs = request.auto_needs = 300;
  flat.depth = request.depth = 50;
  const wire::SearchReply wanted = served.search(flat), reply = served.search(request);
  ASSERT_TRUE(wanted.has_or);
  ASSERT_TRUE(reply.has_and && reply.has_or);
  EXPECT_EQ(reply.and_ranking.hits, wanted.and_ranking.hits);
  EXPECT_EQ(reply.or_ranking.hits, wanted.or_ranking.hits);
  request.clause = words("t3 t9 t11", query::Mode::kOr);
  const wire::SearchReply same = served.search(request);
  EXPECT_EQ(same.and_ranking.matches, same.or_ranking.matches);
}

TEST(SearchQueryWithClauses, LeaveNothingOutByAFilterOfStopWordsAlone) {
  ServedCollection served(random_documents(300, 8), 3);
  wire::SearchRequest request = request_of(Mode::kOr, {"t3", "t7"}, 3);
  const wire::SearchReply wanted = served.search(request);
  ASSERT_EQ(wanted.or_ranking.hits.size(), 10u);
  const query::Clause the{query::Words{"", "the", query::Mode::kOr}};
  for (const query::Clause& filter : {the, query::Clause{query::Bool{{}, {}, {the}, {}, {}}}}) {
    request.filter = query::clause_json(filter);
    EXPECT_EQ(served.search(request).or_ranking.hits, wanted.or_ranking.hits) << request.filter;
  }
  request.filter = words("unknown", query::Mode::kOr);
  EXPECT_EQ(served.search(request).or_ranking.matches, 0u);
}

TEST(SearchQueryWithClauses, FiltersWordsAndKeepsTheFilter) {
  const auto documents = random_documents(300, 8);
  ServedCollection served(documents, 3);
  const auto cpu = engine_named("cpu").value();
  support::InlineScheduler scheduler(served.clock);
  SearchParts parts{served.board, served.store, *cpu, served.oracle, scheduler, served.clock};
  FilterCache filters(1 << 20);
  parts.filters = &filters;
  wire::SearchRequest request = request_of(Mode::kAnd, {"t2"}, 3);
  request.filter = query::clause_json({query::Bool{
      {}, {}, {{query::Words{"", "t1", query::Mode::kOr}}}, {{query::Words{"", "t3", query::Mode::kOr}}}, {}}});
  std::uint64_t wanted = 0;
  for (const auto& one : documents)
    wanted += one.terms.contains("t2") && one.terms.contains("t3") && !one.terms.contains("t1") ? 1 : 0;
  ASSERT_GT(wanted, 0u);
  request.depth = 300;
  for (std::uint64_t hits : {0, 3}) {
    const wire::SearchReply reply = served.search(request, parts);
    EXPECT_EQ(reply.and_ranking.matches, wanted);
    EXPECT_EQ(reply.and_ranking.hits.size(), wanted);
    EXPECT_EQ(filters.counters().hits, hits);
  }
  request.clause = words("t2", query::Mode::kOr);
  request.terms.clear();
  EXPECT_EQ(served.search(request, parts).and_ranking.matches, wanted);
  request.processor = wire::Processor::kExhaustive;
  EXPECT_EQ(served.search(request, parts).and_ranking.matches, wanted);
}

TEST(SearchQueryWithClauses, CountsAllMatchesIfAsked) {
  const auto documents = random_documents(2000, 8);
  ServedCollection served(documents, 3);
  const auto cpu = engine_named("cpu").value();
  support::InlineScheduler scheduler(served.clock);
  const SearchParts parts{served.board, served.store, *cpu, served.oracle, scheduler, served.clock};
  for (const Mode mode : {Mode::kAnd, Mode::kOr}) {
    wire::SearchRequest request = request_of(mode, {"t1", "t2"}, 3);
    request.depth = 1;
    request.exact_total = true;
    const wire::SearchReply reply = served.search(request, parts);
    const wire::Ranking& ranking = mode == Mode::kAnd ? reply.and_ranking : reply.or_ranking;
    EXPECT_TRUE(ranking.exact);
    EXPECT_EQ(ranking.matches, documents_with(documents, {"t1", "t2"}, mode == Mode::kAnd));
  }
}

TEST(SearchQueryWithClauses, RefusesWhatItDoesNotUnderstand) {
  ServedCollection served(random_documents(30, 8), 1);
  support::InlineScheduler scheduler(served.clock);
  const SearchParts parts = served.parts(scheduler);
  SearchMetrics metrics(parts);
  const auto refusal_of = [&](std::string clause) {
    std::string refusal;
    const auto query = std::make_shared<SearchQuery>(
        parts, metrics, clause_request(Mode::kOr, std::move(clause), 1), Deadline::never(),
        [](const wire::SearchReply&) { ADD_FAILURE() << "answered"; },
        [&](const Error& why) { refusal = why.message(); });
    query->start(std::chrono::microseconds(0));
    return refusal;
  };
  EXPECT_EQ(refusal_of("{"), "the text is not JSON at byte 2");
  EXPECT_EQ(refusal_of(query::clause_json({query::Phrase{"", "a b", 0, false}})),
            "clause.phrase is a phrase, and no text field of the schema has positions");
  EXPECT_EQ(refusal_of(query::clause_json({query::Exists{"tag"}})), "clause.exists: field 'tag' is not in the schema");
}

TEST(FilterCache, KeepsWhatItsBudgetAllows) {
  const std::uint32_t documents = 10'000;
  const std::vector<std::uint64_t> none((documents + 63) / 64);
  const auto all = partition::HiddenDocuments::all_but(documents, none, nullptr);
  FilterCache cache(5 * all->bytes() + 4096);
  for (std::uint32_t i = 0; i < 20; ++i) {
    cache.keep({1, i, "filter"}, all);
    EXPECT_NE(cache.find({1, i, "filter"}), nullptr);
    EXPECT_EQ(cache.find({2, i, "filter"}), nullptr);
    EXPECT_EQ(cache.find({1, i, "other"}), nullptr);
  }
  const FilterCache::Counters counters = cache.counters();
  EXPECT_EQ(counters.hits, 20u);
  EXPECT_EQ(counters.misses, 40u);
  EXPECT_LE(counters.bytes, cache.budget_bytes());
  EXPECT_GE(counters.evictions, 15u);
  FilterCache small(all->bytes());
  small.keep({1, 0, "filter"}, all);
  EXPECT_EQ(small.find({1, 0, "filter"}), nullptr) << "more than a quarter of the budget";
}

}  // namespace
}  // namespace frond::leaf::serve
