// Answers without ranking are the same everywhere: every engine gives the oracle's documents, in the order of ordinals,
// and its number of matches, for any k, mode, codec and number of partitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "common/codec/list_codec.h"
#include "common/topk/top_k.h"
#include "leaf/engines.h"
#include "tests/support/collections/indexed_collection.h"
#include "tests/support/collections/manual_clock.h"

namespace frond::leaf {
namespace {

using support::IndexedCollection;
using support::TermNumber;

struct Answer {
  std::vector<topk::Hit> hits;
  std::uint64_t matches = 0;
  bool exact = true;
  friend bool operator==(const Answer&, const Answer&) = default;
};

const SteadyClock kClock;

// `floor` is raised, and few are to be counted: neither concerns a plan without ranking.
Answer search(engine::QueryEngine& engine, const IndexedCollection& index, std::span<const TermNumber> query,
              engine::Mode mode, std::uint32_t k) {
  engine::SharedFloor floor;
  floor.raise(1'000'000);
  Answer answer;
  std::vector<std::vector<topk::Hit>> lists;
  for (std::size_t p = 0; p < index.partitions().size(); ++p) {
    engine::Plan plan = index.plan(p, query, mode, k, &floor);
    plan.ranked = false;
    plan.count_to = 3;
    auto outcomes = engine.search(std::span(&plan, 1), kClock);
    EXPECT_TRUE(outcomes.at(0).has_value()) << outcomes[0].error().message();
    if (!outcomes[0]) return answer;
    EXPECT_LE(outcomes[0]->hits.size(), k);
    answer.matches += outcomes[0]->matches;
    answer.exact &= outcomes[0]->exact;
    lists.push_back(std::move(outcomes[0]->hits));
  }
  answer.hits = topk::merge(lists, k);
  return answer;
}

// From the postings themselves, without an engine.
Answer counted(const support::Collection& collection, std::span<const TermNumber> query, engine::Mode mode,
               std::uint32_t k) {
  std::vector<std::size_t> terms_of(collection.lengths.size());
  std::vector<TermNumber> distinct(query.begin(), query.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (const TermNumber term : distinct)
    if (term < collection.postings.size())
      for (const auto& posting : collection.postings[term]) ++terms_of[posting.document];
  Answer answer;
  for (std::size_t document = 0; document < terms_of.size(); ++document) {
    if (terms_of[document] < (mode == engine::Mode::kAnd ? distinct.size() : 1)) continue;
    if (answer.matches++ < k) answer.hits.push_back({document, 0});
  }
  return answer;
}

struct Case {
  const char* name;
  std::uint64_t seed;
  support::CollectionOptions options;
  int queries = 60;
  std::string_view codec{};
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name << ", seed " << c.seed; }

class WithoutRanking : public testing::TestWithParam<Case> {};

TEST_P(WithoutRanking, EveryEngineCountsAllAndGivesTheFirst) {
  const Case& c = GetParam();
  const auto collection = support::random_collection(c.seed, c.options);
  std::vector<IndexedCollection> indexes;
  for (const std::uint32_t partitions : {1u, 2u, 3u, 16u})
    indexes.emplace_back(collection, support::IndexOptions{.partitions = partitions, .codec = c.codec, .bm25 = {}});
  const std::array engines{*engine_named("cpu"), *engine_named("exhaustive")};
  support::Random random(c.seed + 1);
  for (int q = 0; q < c.queries; ++q) {
    const auto query = support::random_query(random, collection, q % 10 == 0 ? 12 : 4);
    for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr})
      for (const std::uint32_t k : {0u, 1u, 10u, 1000u, 10'000u}) {
        const Answer wanted = counted(collection, query, mode, k);
        for (const auto& engine : engines) {
          if (engine->name() == "exhaustive" && (q % 8 != 0 || k % 10 != 0)) continue;  // slow
          for (const auto& index : indexes)
            ASSERT_EQ(search(*engine, index, query, mode, k), wanted)
                << engine->name() << ", query " << q << (mode == engine::Mode::kAnd ? " and" : " or") << ", k " << k
                << ", partitions " << index.partitions().size() << ", seed " << c.seed;
        }
      }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Collections, WithoutRanking,
    testing::Values(Case{"Small", 501, {.documents = 40, .terms = 30}, 150},
                    Case{"OneBlock", 502, {.documents = 300, .terms = 60}, 150},
                    Case{"Ordinary", 503, {.documents = 9000, .terms = 250}},
                    Case{"OfAnotherCodec", 504, {.documents = 9000, .terms = 250}, 40, "vbyte"},
                    Case{"Sparse", 505, {.documents = 40'000, .terms = 150, .most_frequent = 0.02}, 60}),
    [](const auto& tested) { return tested.param.name; });

TEST(WithoutRanking, IsTheSameForListsOfEveryCodec) {
  const auto collection = support::random_collection(506, {.documents = 5000, .terms = 60, .most_frequent = 0.6});
  const auto engine = *engine_named("cpu");
  for (const auto* codec : codec::all_codecs())
    for (const std::uint32_t partitions : {1u, 3u}) {
      const IndexedCollection index(collection, {.partitions = partitions, .codec = codec->name(), .bm25 = {}});
      support::Random random(507);
      for (int q = 0; q < 12; ++q) {
        const auto query = support::random_query(random, collection, 4);
        for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr})
          for (const std::uint32_t k : {0u, 1u, 10u, 1000u})
            ASSERT_EQ(search(*engine, index, query, mode, k), counted(collection, query, mode, k))
                << codec->name() << ", query " << q << ", k " << k << ", partitions " << partitions;
      }
    }
}

TEST(WithoutRanking, EndsAtItsDeadline) {
  const auto collection = support::random_collection(511, {.documents = 3000, .terms = 20});
  const IndexedCollection index(collection, {});
  support::ManualClock clock;
  for (const auto& query : {std::vector<TermNumber>{0}, {0, 1}, {0, 1, 2}})
    for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr}) {
      engine::Plan plan = index.plan(0, query, mode, 10);
      plan.ranked = false;
      plan.deadline = Deadline::at(clock.now());
      const auto outcomes = (*engine_named("cpu"))->search(std::span(&plan, 1), clock);
      ASSERT_FALSE(outcomes[0].has_value());
      EXPECT_EQ(outcomes[0].error().code(), Code::kDeadline);
    }
}

}  // namespace
}  // namespace frond::leaf
