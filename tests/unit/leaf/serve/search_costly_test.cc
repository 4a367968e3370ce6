// Searches that cost many times the usual have threads of their own.
#include <gtest/gtest.h>

#include "common/query/clause_json.h"
#include "common/query/facet.h"
#include "common/schema/schema_json.h"
#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::serve {
namespace {

using support::random_documents;
using wire::Mode;
using Unsearched = wire::UnsearchedReason;

// Counts the searches that it is given, and may have no room.
class CountingScheduler final : public schedule::Scheduler {
 public:
  explicit CountingScheduler(const Clock& clock, std::size_t all_workers = 8) : workers(all_workers), below_(clock) {}
  Result<void> admit(std::span<schedule::Task> tasks, schedule::Lane lane) override {
    if (full && lane != schedule::Lane::kContinue) return Error(Code::kOverloaded, "full");
    if (lane == schedule::Lane::kSearch) taken += tasks.size();
    return below_.admit(tasks, lane);
  }
  void drain() override { below_.drain(); }
  Load load() const override { return {others_wait, 8, workers, 1}; }
  bool runs_caller() const override { return below_.runs_caller(); }
  std::size_t taken = 0, others_wait = 0, workers;
  bool full = false;

 private:
  support::InlineScheduler below_;
};

struct TwoSchedulers {
  explicit TwoSchedulers(ServedCollection& collection) : served(collection) {}
  wire::SearchReply search(const wire::SearchRequest& request, std::uint64_t costly_postings = ~0ull) {
    usual.taken = costly.taken = 0;
    SearchParts parts = served.parts(usual);
    parts.costly = &costly;
    parts.costly_postings = costly_postings;
    parts.small_postings = 1;
    Searches searches(parts);
    std::optional<wire::SearchReply> got;
    searches.start(request, Deadline::after(served.clock, request.budget),
                   [&](wire::SearchReply reply) { got = std::move(reply); });
    EXPECT_TRUE(got) << "not answered";
    return got.value_or(wire::SearchReply{});
  }
  ServedCollection& served;
  CountingScheduler usual{served.clock}, costly{served.clock};
};

TEST(SearchQuery, HasThreadsOfTheirOwnForSearchesThatAskForMuch) {
  ServedCollection served(random_documents(200, 30), 2);
  TwoSchedulers both(served);
  const auto usual = request_of(Mode::kAuto, {"t9", "t10"}, 2);
  std::vector<wire::SearchRequest> costly(3, usual);
  costly[0].depth = 1001;
  costly[1].processor = wire::Processor::kExhaustive;
  for (int i = 0; i < 63; ++i) costly[2].terms.push_back({"unknown" + std::to_string(i), 1});
  expect_same_hits(both.search(usual), served.search(usual));
  EXPECT_EQ(both.costly.taken, 0u);
  EXPECT_EQ(both.usual.taken, 1u);
  for (const auto& request : costly) {
    expect_same_hits(both.search(request), served.search(request));
    EXPECT_EQ(both.usual.taken, 1u) << "found to be costly there";
    EXPECT_EQ(both.costly.taken, 1u);
  }
}

TEST(SearchQuery, MovesSearchesWithManyPostingsToThem) {
  const auto documents = random_documents(200, 31);
  ServedCollection served(documents, 2);
  TwoSchedulers both(served);
  auto request = request_of(Mode::kAuto, {"t0", "t1"}, 2);
  request.auto_needs = request.depth = 100;
  const auto wanted = served.search(request);
  const std::uint64_t postings = documents_with(documents, {"t0"}, true) + documents_with(documents, {"t1"}, true);
  expect_same_hits(both.search(request, postings), wanted);
  EXPECT_EQ(both.costly.taken, 0u) << "each partition has half of them";
  expect_same_hits(both.search(request, postings / 2), wanted);
  EXPECT_EQ(both.usual.taken, 1u) << "looked up there";
  EXPECT_EQ(both.costly.taken, 1u) << "AND and OR of both";
}

// What a clause is made of is known once it is resolved.
TEST(SearchQuery, MovesClausesOfManyListsToThem) {
  auto documents = random_documents(200, 35);
  for (std::size_t i = 0; i <= wire::kCostlyTerms; ++i) documents[i].terms["w" + std::to_string(i)] = 1;
  ServedCollection served(documents, 2);
  TwoSchedulers both(served);
  for (const std::size_t words : {wire::kCostlyTerms, wire::kCostlyTerms + 1}) {
    std::string text;
    for (std::size_t i = 0; i < words; ++i) text += "w" + std::to_string(i) + " ";
    auto request = request_of(Mode::kOr, {}, 2);
    request.clause = query::clause_json({query::Words{"", text, query::Mode::kOr}});
    EXPECT_EQ(both.search(request).or_ranking.matches, words);
    EXPECT_EQ(both.costly.taken, words > wire::kCostlyTerms ? 1u : 0u) << words;
  }
}

// Of few matches few values are looked at, however large the collection; keywords are numbered first, all of them.
TEST(SearchQuery, MovesOrdersFacetsAndRangesToThemByTheValuesThatTheyLookAt) {
  const auto schema = std::make_shared<const schema::Schema>(*schema::parse_schema(
      R"({"fields": {"year": {"type": "integer"}, "lang": {"type": "keyword"}, "body": {"type": "text"}}})"));
  auto documents = random_documents(400, 36);
  for (std::size_t i = 0; i < documents.size(); ++i)
    documents[i].values.columns = {{0, {static_cast<std::int64_t>(1900 + i % 100)}}, {1, {std::string("en")}}};
  documents[7].terms["rare"] = 1;
  ServedCollection served(documents, 2, {}, {}, schema);
  TwoSchedulers both(served);
  const auto is_costly = [&](const query::Clause& clause, const char* sort, const char* facets) {
    auto request = request_of(Mode::kOr, {}, 2);
    request.clause = query::clause_json(clause);
    request.sort = sort;
    if (*facets != 0) request.facets = query::facets_json(*query::parse_facets(facets));
    EXPECT_TRUE(both.search(request, 40).unsearched.empty());  // postings, or four times as many values
    return both.costly.taken != 0;
  };
  const query::Clause all{query::All()}, rare{query::Words{"", "rare", query::Mode::kOr}};
  EXPECT_FALSE(is_costly(all, "", ""));
  EXPECT_TRUE(is_costly(all, "year:asc", "")) << "200 values in a partition";
  EXPECT_FALSE(is_costly(rare, "year:asc,_order", ""));
  EXPECT_TRUE(is_costly(all, "", "year:stats"));
  EXPECT_FALSE(is_costly(rare, "", "year:stats"));
  EXPECT_TRUE(is_costly(rare, "", "lang"));
  const query::Clause recent{query::Range{"year", query::Bound{std::int64_t{1950}, true}, {}}};
  EXPECT_TRUE(is_costly(recent, "", ""));
}

// Moving costs time, too, and where all is quiet nobody gains by it.
TEST(SearchQuery, MovesSearchesOfMediumSizeWhereOthersWouldWait) {
  ServedCollection served(random_documents(200, 34), 2);
  TwoSchedulers both(served);
  const auto request = request_of(Mode::kOr, {"t0", "t1"}, 2);
  (void)both.search(request);
  EXPECT_EQ(both.costly.taken, 0u) << "another worker is idle";
  both.usual.others_wait = 1;
  (void)both.search(request);
  EXPECT_EQ(both.costly.taken, 1u);
  both.usual.others_wait = 0;
  both.usual.workers = 1;
  (void)both.search(request);
  EXPECT_EQ(both.costly.taken, 1u) << "no worker would be left";
  both.costly.workers = 1;
  (void)both.search(request);
  EXPECT_EQ(both.costly.taken, 0u) << "it would wait behind a costly search";
  both.costly.workers = 2;
  both.costly.others_wait = 1;
  (void)both.search(request);
  EXPECT_EQ(both.costly.taken, 0u) << "… and here too";
}

TEST(SearchQuery, NamesPartitionsThatTheCostlyThreadsHaveNoRoomFor) {
  ServedCollection served(random_documents(200, 32), 2);
  TwoSchedulers both(served);
  both.costly.full = true;
  auto request = request_of(Mode::kAuto, {"t0", "t1"}, 2);
  const auto refused = both.search(request, 1);
  ASSERT_EQ(refused.unsearched.size(), 2u);
  EXPECT_EQ(refused.unsearched[0].reason, Unsearched::kOverloaded);
  request.depth = 2000;
  EXPECT_EQ(both.search(request).unsearched.size(), 2u);
  request.depth = 10;
  EXPECT_TRUE(both.search(request).unsearched.empty());
}

}  // namespace
}  // namespace frond::leaf::serve
