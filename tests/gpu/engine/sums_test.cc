// ORs that the GPU engine sums up instead of looking documents up: exactly the oracle's hits, for every number of terms
// and k, with hidden documents and priors, in one partition and in several, for any codec.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "leaf/gpu/tuning.h"
#include "tests/gpu/engine/checked_engine.h"
#include "tests/support/collections/impacts.h"

namespace frond::leaf::gpu {
namespace {

using support::IndexedCollection;

struct SummedCase {
  const char* name;
  std::uint64_t seed;
  support::CollectionOptions options;
  std::string_view codec{};
  bool hides = false, priors = false;
};
void PrintTo(const SummedCase& c, std::ostream* out) { *out << c.name << ", seed " << c.seed; }

class SummedOnGpu : public testing::TestWithParam<SummedCase> {};

TEST_P(SummedOnGpu, GivesTheOraclesHitsOfImpacts) {
  const SummedCase& c = GetParam();
  support::Random random(c.seed);
  auto collection = support::random_collection(c.seed, c.options);
  support::make_impacts(random, collection);
  const auto oracle = *engine_named("exhaustive");
  Engine always({.sums = Sums::kAlways}), where_faster;
  for (const std::uint32_t partitions : {1u, 3u}) {
    IndexedCollection index(collection, {.partitions = partitions, .codec = c.codec, .bm25 = scoring::kImpacts});
    const auto hidden = index.hidden_parts(support::random_hidden(random, c.options.documents));
    if (c.hides) index.set_hidden(hidden);
    if (c.priors) index.set_priors(support::random_priors(random, c.options.documents), scoring::kUsualPriorWeight);
    std::vector<engine::Plan> plans;
    std::vector<Result<engine::Outcome>> wanted;
    std::vector<std::string> told;
    for (const std::size_t terms : {1u, 2u, 3u, 8u, 9u, 20u, 37u, 60u, kMaxQueryTerms}) {
      const auto query = support::distinct_terms(random, collection, terms);
      const std::uint64_t partition = random.below(partitions);
      auto whole = index.plan(partition, query, engine::Mode::kOr, 10'000);
      if (whole.terms.empty()) continue;
      support::weigh(whole, index, partition, query, support::random_units(random, query.size()));
      const auto ranking = oracle->search(std::span(&whole, 1), kClock);
      for (const std::uint32_t k : {1u, 10u, 1000u}) {
        plans.push_back(whole);
        plans.back().k = k;
        wanted.push_back(ranking[0]);
        told.push_back("seed " + std::to_string(c.seed) + ", " + std::to_string(terms) + " terms, k " +
                       std::to_string(k) + ", partitions " + std::to_string(partitions));
      }
    }
    for (Engine* engine : {&always, &where_faster}) {
      expect_same_in_batches(*engine, plans, wanted, told, random);
      if (HasFatalFailure()) return;
    }
  }
  for (Engine* engine : {&always, &where_faster}) {
    const auto counted = (*engine)->counters();
    EXPECT_EQ(counted.unanswered, 0u);
    // With priors some bounds are too large.
    EXPECT_TRUE(c.priors || counted.fallbacks == 0) << counted.fallbacks << " fallbacks";
    EXPECT_GT(counted.plans, counted.fallbacks);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Collections, SummedOnGpu,
    testing::Values(SummedCase{"small", 730, {.documents = 500, .terms = 80, .most_frequent = 0.5}},
                    SummedCase{"tiles", 731, {.documents = 3 * kSummedDocuments + 7, .terms = 70}},
                    SummedCase{"hidden", 732, {.documents = 30'000, .terms = 80}, {}, true},
                    SummedCase{"priors", 733, {.documents = 30'000, .terms = 80}, {}, false, true},
                    SummedCase{"hidden with priors", 734, {.documents = 5'000, .terms = 80}, {}, true, true},
                    SummedCase{"rice", 735, {.documents = 40'000, .terms = 70}, "rice"},
                    SummedCase{"gpu-bp128", 736, {.documents = 5'000, .terms = 80}, "gpu-bp128"}),
    [](const auto& tested) {
      std::string name = tested.param.name;
      std::replace_if(
          name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
      return name;
    });

// Sums of BM25, whose contributions need documents' lengths, in batches with queries that are looked up.
TEST(SummedOnGpu, GivesTheOraclesHitsOfWords) {
  const auto collection = support::random_collection(740, {.documents = 60'000, .terms = 90, .most_frequent = 0.4});
  const IndexedCollection index(collection, {});
  const auto oracle = *engine_named("exhaustive");
  support::Random random(740);
  Engine always({.sums = Sums::kAlways}), where_faster;
  std::vector<engine::Plan> plans;
  std::vector<Result<engine::Outcome>> wanted;
  std::vector<std::string> told;
  for (const std::size_t terms : {2u, 9u, 30u, 60u})
    for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr}) {
      const auto whole = index.plan(0, support::distinct_terms(random, collection, terms), mode, 10'000);
      const auto ranking = oracle->search(std::span(&whole, 1), kClock);
      for (const std::uint32_t k : {1u, 10u, 1000u}) {
        plans.push_back(whole);
        plans.back().k = k;
        wanted.push_back(ranking[0]);
        told.push_back(std::to_string(terms) + " terms, k " + std::to_string(k));
      }
    }
  for (Engine* engine : {&always, &where_faster}) {
    expect_same_in_batches(*engine, plans, wanted, told, random);
    EXPECT_EQ((*engine)->counters().fallbacks, (*engine)->counters().unanswered);
  }
}

// More candidates than can be sorted have scores in one bin, with many different scores or, where impacts are few, just
// the k-th best: the bin is cut, ties come by document, and the plan stays on the device, summed or not.
void expect_thousands_in_one_bin(std::uint64_t different) {
  support::Random random(741);
  const std::uint32_t documents = 60'000;
  auto collection = support::random_collection(741, {.documents = documents, .terms = 2, .most_frequent = 0.9});
  collection.postings.assign(8, {});
  for (std::size_t term = 0; term < 8; ++term)
    for (DocId docid = 0; docid < documents; ++docid)
      // The first term's one document has nearly all of the highest possible score.
      if (term > 0 || docid == 7)
        collection.postings[term].push_back(
            {docid, term == 0 ? 255 : static_cast<Frequency>(1 + random.below(different))});
  const IndexedCollection index(collection, {.partitions = 1, .codec = {}, .bm25 = scoring::kImpacts});
  const auto oracle = *engine_named("exhaustive");
  std::vector<support::TermNumber> query{0, 1, 2, 3, 4, 5, 6, 7};
  auto plan = index.plan(0, query, engine::Mode::kOr, 1000);
  support::weigh(plan, index, 0, query, {160 * 256, 11, 13, 17, 19, 23, 29, 31});
  auto whole = plan;
  whole.k = 10'000;
  const auto wanted = oracle->search(std::span(&whole, 1), kClock);
  for (const Sums sums : {Sums::kAlways, Sums::kNever}) {
    Engine engine({.sums = sums});
    const auto got = engine->search(std::span(&plan, 1), kClock);
    expect_same(got[0], wanted[0], plan, sums == Sums::kAlways ? "summed" : "looked up");
    EXPECT_EQ(engine->counters().unanswered, 0u);
  }
}
TEST(SummedOnGpu, TellsThousandsInOneBinApart) { expect_thousands_in_one_bin(4); }
TEST(SummedOnGpu, TellsThousandsOfTiesApart) { expect_thousands_in_one_bin(1); }

// Queries of a batch of one OR by six impacts, each in so many documents, that are summed.
std::uint32_t summed_of_six(std::uint32_t documents, std::uint32_t each, std::string_view codec) {
  auto collection = support::random_collection(742, {.documents = documents, .terms = 2});
  collection.postings.assign(6, {});
  for (auto& postings : collection.postings)
    for (DocId i = 0; i < each; ++i) postings.push_back({i * (documents / each), 3});
  const IndexedCollection index(collection, {.partitions = 1, .codec = codec, .bm25 = scoring::kImpacts});
  const std::vector<support::TermNumber> query{0, 1, 2, 3, 4, 5};
  auto plan = index.plan(0, query, engine::Mode::kOr, 10);
  support::weigh(plan, index, 0, query, {256, 256, 256, 256, 256, 256});
  Engine engine;
  const auto ready = engine->cache().pin(plan);
  const ReadyPlan* const plans[] = {&*ready};
  return BatchBuilder().build(plans, nullptr).summed_queries;
}

// A tile takes the same time however few of its documents there are, and lists of other codecs have smaller ones.
TEST(SummedOnGpu, IsChosenByWholeTilesOfTheSizeThatTheKernelHas) {
  EXPECT_EQ(summed_of_six(120, 60, {}), 0u);
  EXPECT_EQ(summed_of_six(20'000, 700, {}), 1u);
  EXPECT_EQ(summed_of_six(20'000, 700, "rice"), 0u);
}

}  // namespace
}  // namespace frond::leaf::gpu
