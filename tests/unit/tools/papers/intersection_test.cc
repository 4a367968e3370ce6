// What frond-papers measures intersection with: sets that a seed gives again, and searches on this machine's cores.
#include <gtest/gtest.h>

#include <algorithm>

#include "tools/papers/intersect/intersection_set.h"
#include "tools/papers/intersect/intersection_timing.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

IntersectionSetOptions small(synth::DocidOrder order, unsigned threads) {
  return {.profile = "gov", .order = order, .documents = 20'000, .queries = 60, .seed = 9301, .threads = threads};
}

TEST(IntersectionSet, IsTheSameForAnyNumberOfThreads) {
  for (const synth::DocidOrder order : {synth::DocidOrder::kInput, synth::DocidOrder::kRandom}) {
    const auto one = make_intersection_set(small(order, 1)), three = make_intersection_set(small(order, 3));
    ASSERT_TRUE(one.has_value() && three.has_value());
    EXPECT_EQ(one->lists, three->lists);
    EXPECT_EQ(one->answers, three->answers);
  }
}

TEST(IntersectionSet, HasAscendingDocumentsOfTheCollection) {
  for (const synth::DocidOrder order : {synth::DocidOrder::kInput, synth::DocidOrder::kRandom}) {
    const auto set = make_intersection_set(small(order, 2));
    ASSERT_TRUE(set.has_value());
    for (const auto& list : set->lists) {
      ASSERT_FALSE(list.empty());
      EXPECT_EQ(std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()), list.end());
      EXPECT_LT(list.back(), set->documents);
    }
  }
}

TEST(IntersectionSet, OfAPairHasTwoListsOfAboutTheLengthAskedFor) {
  const IntersectionSet set = make_pair_set(10'000, 9302, 2);
  ASSERT_EQ(set.lists.size(), 2u);
  for (const auto& list : set.lists) {
    EXPECT_GT(list.size(), 9'000u);
    EXPECT_LT(list.size(), 11'000u);
  }
  EXPECT_EQ(set.queries.size(), 1u);
}

TEST(IntersectionSet, OfAnUnknownProfileIsAnError) {
  EXPECT_EQ(make_intersection_set({.profile = "no such"}), Code::kInvalid);
}

TEST(TimeOnCpu, ChecksTheAnswersOfEveryMethodThatNeedsNoKernel) {
  const auto set = make_intersection_set(small(synth::DocidOrder::kInput, 1));
  ASSERT_TRUE(set.has_value());
  for (const auto method : all_methods()) {
    const auto timing = time_on_cpu(*set, method, {.rounds = 1, .threads = 2});
    if (!needs_no_kernel(method)) {
      EXPECT_EQ(timing, Code::kInvalid);
    } else {
      ASSERT_TRUE(timing.has_value()) << timing.error().message();
      EXPECT_GT(timing->queries.median, 0);
    }
  }
  IntersectionSet wrong = *set;
  wrong.answers[0].push_back(kNoDoc);
  EXPECT_EQ(time_on_cpu(wrong, {}, {.rounds = 1, .threads = 1}), Code::kCorrupt);
}

TEST(TimeCpuEngine, CountsTheMatchesThatTheSetHas) {
  const auto set = make_intersection_set(small(synth::DocidOrder::kRandom, 1));
  ASSERT_TRUE(set.has_value());
  const auto timing = time_cpu_engine(*set, {.rounds = 1, .threads = 2});
  ASSERT_TRUE(timing.has_value()) << timing.error().message();
  EXPECT_GT(timing->index_bytes, 0u);
}

TEST(Linearity, OfListsInRandomOrderIsNearerToALine) {
  const auto of = [](synth::DocidOrder order) {
    const auto set = make_intersection_set(small(order, 1));
    return linearity_of(*set, 2).front();
  };
  EXPECT_LT(of(synth::DocidOrder::kRandom).contraction, of(synth::DocidOrder::kInput).contraction);
}

}  // namespace
}  // namespace frond::tools::papers
