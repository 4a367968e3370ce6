// One answer everywhere: every engine gives the oracle's hits and scores, to the byte, for any k, mode and number of
// partitions, with and without a floor shared by the partitions, and with statistics of a later generation.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/topk/top_k.h"
#include "leaf/engines.h"
#include "tests/support/collections/indexed_collection.h"

namespace frond::leaf {
namespace {

using support::IndexedCollection;
using support::TermNumber;

struct Answer {
  std::vector<topk::Hit> hits;
  std::uint64_t matches = 0;
  bool exact = true;
};

enum class Floor { kNone, kShared, kSharedByThreads };

const SteadyClock kClock;

engine::Outcome search_partition(engine::QueryEngine& engine, const engine::Plan& plan) {
  auto outcomes = engine.search(std::span(&plan, 1), kClock);
  EXPECT_EQ(outcomes.size(), 1u);
  EXPECT_TRUE(outcomes[0].has_value()) << outcomes[0].error().message();
  return *std::move(outcomes[0]);
}

Answer search(engine::QueryEngine& engine, const IndexedCollection& index, std::span<const TermNumber> query,
              engine::Mode mode, std::uint32_t k, Floor floor, std::uint64_t count_to = engine::Plan::kCountAll) {
  engine::SharedFloor shared;
  std::vector<engine::Outcome> outcomes(index.partitions().size());
  const auto search_one = [&](std::size_t p) {
    auto plan = index.plan(p, query, mode, k, floor == Floor::kNone ? nullptr : &shared);
    plan.count_to = count_to;
    outcomes[p] = search_partition(engine, plan);
  };
  if (floor == Floor::kSharedByThreads) {
    std::vector<std::jthread> threads;
    for (std::size_t p = 0; p < outcomes.size(); ++p) threads.emplace_back(search_one, p);
  } else {
    for (std::size_t p = 0; p < outcomes.size(); ++p) search_one(p);
  }
  Answer answer;
  std::vector<std::vector<topk::Hit>> lists;
  for (auto& outcome : outcomes) {
    EXPECT_LE(outcome.hits.size(), k);
    EXPECT_TRUE(std::is_sorted(outcome.hits.begin(), outcome.hits.end(), topk::better));
    lists.push_back(std::move(outcome.hits));
    answer.matches += outcome.matches;
    answer.exact &= outcome.exact;
  }
  answer.hits = topk::merge(lists, k);
  return answer;
}

std::string told(const support::Collection& collection, std::span<const TermNumber> query, engine::Mode mode,
                 std::uint32_t k, std::size_t partitions) {
  std::string text = "seed " + std::to_string(collection.seed) + (mode == engine::Mode::kAnd ? " and" : " or") + " k " +
                     std::to_string(k) + " partitions " + std::to_string(partitions) + " terms";
  for (const auto term : query) text += " " + std::to_string(term);
  return text;
}

void expect_same(const Answer& got, const Answer& wanted, const std::string& what) {
  ASSERT_EQ(got.hits.size(), wanted.hits.size()) << what;
  for (std::size_t i = 0; i < got.hits.size(); ++i) {
    ASSERT_EQ(got.hits[i].ordinal, wanted.hits[i].ordinal) << what << " rank " << i;
    ASSERT_EQ(got.hits[i].score, wanted.hits[i].score) << what << " rank " << i;
  }
  EXPECT_GE(got.matches, got.hits.size()) << what;
  if (got.exact)
    EXPECT_EQ(got.matches, wanted.matches) << what;
  else
    EXPECT_LE(got.matches, wanted.matches) << what;
}

struct Case {
  const char* name;
  std::uint64_t seed;
  support::CollectionOptions options;
  scoring::Bm25Parameters bm25{};
  double later_documents = 1, later_length = 1;  // statistics of a later generation, as factors
  int queries = 60;
  std::string_view codec{};
  bool own_bm25 = false;  // queries ask for a k1 and b of their own
  bool priors = false;    // documents have static priors, and queries weigh them
  bool hidden = false;    // queries pass over documents, each over others
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name << ", seed " << c.seed; }

class EveryEngine : public testing::TestWithParam<Case> {};

TEST_P(EveryEngine, GivesTheOraclesHitsForAnyModeKAndNumberOfPartitions) {
  const Case& c = GetParam();
  const auto collection = support::random_collection(c.seed, c.options);
  const auto oracle = *engine_named("exhaustive");
  std::vector<IndexedCollection> indexes;
  for (const std::uint32_t partitions : {1u, 2u, 3u, 16u}) {
    indexes.emplace_back(collection, support::IndexOptions{.partitions = partitions, .codec = c.codec, .bm25 = c.bm25});
    auto statistics = indexes.back().statistics();
    statistics.documents = static_cast<std::uint64_t>(static_cast<double>(statistics.documents) * c.later_documents);
    statistics.tokens =
        static_cast<std::uint64_t>(static_cast<double>(statistics.tokens) * c.later_documents * c.later_length);
    indexes.back().set_statistics(statistics);
  }
  support::Random random(c.seed + 1), random_prior(c.seed + 2);
  const auto priors = support::random_priors(random_prior, c.options.documents);
  std::vector<support::HiddenParts> hidden_parts(indexes.size());
  for (int q = 0; q < c.queries; ++q) {
    if (c.priors) {
      const auto weight = static_cast<scoring::PriorWeight>(q % 3 ? random.below(4 * scoring::kUsualPriorWeight)
                                                                  : random.below(scoring::kMaxPriorWeight + 1));
      for (auto& index : indexes) index.set_priors(priors, weight);
    }
    if (c.hidden) {
      const auto hidden = support::random_hidden(random, c.options.documents);
      for (std::size_t i = 0; i < indexes.size(); ++i) {
        hidden_parts[i] = indexes[i].hidden_parts(hidden);
        indexes[i].set_hidden(hidden_parts[i]);
      }
    }
    const auto query = support::random_query(random, collection, q % 10 == 0 ? 12 : 4);
    if (c.own_bm25) {
      const auto asked = support::random_bm25(random);
      for (auto& index : indexes) index.set_asked(asked);
    }
    for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr}) {
      // The oracle's whole ranking: its first k are its answer for every k.
      const auto ranking = search(*oracle, indexes[0], query, mode, 10'000, Floor::kNone);
      for (const std::uint32_t k : {1u, 10u, 100u, 1000u}) {
        Answer wanted = ranking;
        wanted.hits.resize(std::min<std::size_t>(k, wanted.hits.size()));
        for (const auto& entry : all_engines()) {
          if (entry.name == "exhaustive" && (q % 8 != 0 || k != 10)) continue;  // slow: enough to see that it merges
          const auto engine = entry.make();
          for (const auto& index : indexes) {
            const auto what =
                std::string(entry.name) + ": " + told(collection, query, mode, k, index.partitions().size());
            expect_same(search(*engine, index, query, mode, k, Floor::kNone), wanted, what);
            expect_same(search(*engine, index, query, mode, k, Floor::kShared), wanted, what + ", shared floor");
            if (mode == engine::Mode::kAnd && k <= 10) {
              const auto few = search(*engine, index, query, mode, k, q % 2 ? Floor::kShared : Floor::kNone, q % 20);
              expect_same(few, wanted, what + ", counting to " + std::to_string(q % 20));
            }
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Collections, EveryEngine,
    testing::Values(
        Case{"Small", 101, {.documents = 40, .terms = 30}, {}, 1, 1, 150},
        Case{"OneBlock", 102, {.documents = 300, .terms = 60}, {}, 1, 1, 150},
        Case{"Ordinary", 103, {.documents = 9000, .terms = 250}},
        Case{"OfEqualLengths", 104, {.documents = 5000, .terms = 100, .equal_lengths = true}},
        Case{"WithVeryLongDocuments", 105, {.documents = 5000, .terms = 100, .max_length = 200'000}},
        Case{"Sparse", 106, {.documents = 40'000, .terms = 150, .most_frequent = 0.08}, {}, 1, 1, 40},
        Case{"WithoutLengthNormalization", 107, {.documents = 5000, .terms = 100}, {.k1 = 1.2, .b = 0}},
        Case{"WithoutFrequencies", 108, {.documents = 3000, .terms = 100}, {.k1 = 0, .b = 0.4}},
        Case{"WithAllOfTheLength", 109, {.documents = 5000, .terms = 100}, {.k1 = 4, .b = 1}},
        Case{"WithALaterGenerationOfShorterDocuments", 110, {.documents = 6000, .terms = 150}, {}, 3, 0.31},
        Case{"WithALaterGenerationOfLongerDocuments", 111, {.documents = 6000, .terms = 150}, {}, 7, 4.7},
        Case{"AfterDocumentsWereRemoved", 112, {.documents = 6000, .terms = 150}, {}, 0.6, 1.1},
        Case{"ForOtherParameters", 113, {.documents = 6000, .terms = 150}, {}, 1, 1, 60, {}, true},
        Case{"ForOtherParametersOfALaterGeneration",
             114,
             {.documents = 6000, .terms = 150},
             {1.2, 0.75},
             3,
             0.31,
             60,
             {},
             true},
        Case{"ForOtherParametersOfLongerDocuments",
             115,
             {.documents = 6000, .terms = 150},
             {1.2, 0.9},
             2,
             2.6,
             60,
             {},
             true},
        Case{.name = "WithPriors", .seed = 118, .options = {.documents = 6000, .terms = 150}, .priors = true},
        Case{.name = "WithPriorsInOneBlock", .seed = 119, .options = {.documents = 200, .terms = 40}, .priors = true},
        Case{.name = "WithPriorsSparse",
             .seed = 120,
             .options = {.documents = 40'000, .terms = 150, .most_frequent = 0.08},
             .queries = 30,
             .own_bm25 = true,
             .priors = true},
        Case{.name = "WithHiddenDocuments", .seed = 121, .options = {.documents = 6000, .terms = 150}, .hidden = true},
        Case{.name = "WithHiddenDocumentsAndPriors",
             .seed = 122,
             .options = {.documents = 20'000, .terms = 150, .most_frequent = 0.2},
             .queries = 30,
             .priors = true,
             .hidden = true},
        Case{"OfImpacts", 123, {.documents = 6000, .terms = 150}, scoring::kImpacts},
        Case{.name = "OfImpactsWithPriorsAndHiddenDocuments",
             .seed = 124,
             .options = {.documents = 20'000, .terms = 150, .most_frequent = 0.2},
             .bm25 = scoring::kImpacts,
             .queries = 30,
             .priors = true,
             .hidden = true},
        Case{"BuiltWithoutTheLength", 116, {.documents = 5000, .terms = 100}, {.k1 = 1.2, .b = 0}, 1, 1, 40, {}, true},
        Case{"BuiltWithAllOfTheLength",
             117,
             {.documents = 5000, .terms = 100},
             {.k1 = 1.2, .b = 1},
             1,
             1.2,
             40,
             {},
             true}),
    [](const auto& tested) { return tested.param.name; });

// A query's own parameters make bounds loose, but not useless.
TEST(EveryEngineWithOtherParameters, StillSkipsPostings) {
  const auto collection = support::random_collection(202, {.documents = 40'000, .terms = 200});
  IndexedCollection index(collection, {.partitions = 1});
  const auto engine = *engine_named(kDefaultEngine);
  const auto decoded = [&](const scoring::Bm25Parameters& asked) {
    index.set_asked(asked);
    support::Random random(203);
    std::uint64_t sum = 0;
    for (int q = 0; q < 200; ++q)
      sum +=
          search_partition(*engine, index.plan(0, support::random_query(random, collection, 4), engine::Mode::kOr, 10))
              .postings_decoded;
    return sum;
  };
  const scoring::Bm25Parameters built;
  const std::uint64_t usual = decoded(built);
  const std::uint64_t most = decoded({built.k1, 0.0});  // the furthest
  EXPECT_LT(decoded({1.2, built.b}), usual * 11 / 10);
  EXPECT_LT(decoded({1.2, 0.5}), usual * 5 / 4);
  EXPECT_LT(decoded({1.2, 0.75}), most);
}

TEST(EveryEngineInThreads, GivesTheOraclesHitsWhilePartitionsRaiseOneFloor) {
  const std::uint64_t seed = 201;
  const auto collection = support::random_collection(seed, {.documents = 8000, .terms = 150});
  const IndexedCollection whole(collection, {.partitions = 1}), index(collection, {.partitions = 4});
  const auto oracle = *engine_named("exhaustive");
  support::Random random(seed + 1);
  for (int q = 0; q < 40; ++q) {
    const auto query = support::random_query(random, collection, 4);
    for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr})
      for (const std::uint32_t k : {1u, 10u, 300u}) {
        const auto wanted = search(*oracle, whole, query, mode, k, Floor::kNone);
        for (const auto& entry : all_engines()) {
          const auto engine = entry.make();
          for (const auto count_to : {engine::Plan::kCountAll, std::uint64_t{0}})
            expect_same(search(*engine, index, query, mode, k, Floor::kSharedByThreads, count_to), wanted,
                        std::string(entry.name) + ": " + told(collection, query, mode, k, 4));
        }
        if (HasFatalFailure()) return;
      }
  }
}

}  // namespace
}  // namespace frond::leaf
