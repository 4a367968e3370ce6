#include "tools/synth/document_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace frond::tools::synth {
namespace {

constexpr std::uint64_t kSeed = 11;

CollectionSize size_of(std::string_view profile, std::uint32_t documents, DocidOrder order = DocidOrder::kInput) {
  return {.profile = *profile_named(profile), .documents = documents, .order = order, .seed = kSeed};
}

struct Drawn {
  std::vector<WindowDocuments> windows;
  std::vector<std::uint32_t> lengths;
};
Drawn drawn(const CollectionSize& size) {
  Drawn all;
  for (const Window& window : windows_of(size)) all.windows.push_back(draw_documents(size, window, all.lengths));
  return all;
}

// The largest distance of the list's growth from a straight line, as a share of it: 0 for a list that is even.
double unevenness(const Postings& postings, std::uint32_t documents) {
  double most = 0;
  for (std::size_t i = 0; i < postings.docids.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(i) / static_cast<double>(postings.docids.size()) -
                                   static_cast<double>(postings.docids[i]) / documents));
  return most;
}

TEST(DocumentModel, CoversTheCollectionWithWindowsThatKeepToRuns) {
  for (const auto order : {DocidOrder::kInput, DocidOrder::kRandom})
    for (const std::uint32_t documents : {1u, 5u, 300'000u}) {
      const auto size = size_of("gov2", documents, order);
      const auto windows = windows_of(size);
      DocId next = 0;
      for (const Window& window : windows) {
        EXPECT_EQ(window.begin, next);
        EXPECT_GT(window.count, 0u);
        EXPECT_LE(window.count, kMaxWindow);
        next += window.count;
      }
      EXPECT_EQ(next, documents);
      EXPECT_EQ(windows.back().run + 1, order == DocidOrder::kRandom ? 1 : std::min(documents, 8u));
    }
}

TEST(DocumentModel, GivesLengthsOfTheProfilesMeanAndClassesByThem) {
  const auto all = drawn(size_of("gov2", 100'000));
  double sum = 0;
  for (const auto length : all.lengths) sum += length;
  EXPECT_GT(sum / 100'000, 900 * 0.97) << "seed " << kSeed;
  EXPECT_LT(sum / 100'000, 900 * 1.03) << "seed " << kSeed;
  std::vector<std::uint32_t> longest(kClasses, 0), shortest(kClasses, 1'000'000);
  for (const auto& window : all.windows)
    for (std::uint32_t i = 0; i < window.window.count; ++i) {
      const auto length = all.lengths[window.window.begin + i];
      auto& most = longest[window.class_of[i]];
      auto& least = shortest[window.class_of[i]];
      most = std::max(most, length);
      least = std::min(least, length);
    }
  for (std::size_t c = 1; c < kClasses; ++c) EXPECT_LE(longest[c - 1], shortest[c]);
}

TEST(ListModel, GivesListsTheirLengthOnAverage) {
  for (const auto& profile : all_profiles())
    for (const auto order : {DocidOrder::kInput, DocidOrder::kRandom}) {
      const auto size = size_of(profile.name, 100'000, order);
      const auto all = drawn(size);
      for (const std::uint32_t wanted : {1u, 100u, 10'000u, 70'000u}) {
        double postings = 0;
        constexpr int kLists = 20;
        for (std::uint32_t number = 0; number < kLists; ++number)
          postings += static_cast<double>(draw_list(SyntheticList(size, number, wanted), all.windows).docids.size());
        EXPECT_GE(postings / kLists, wanted * 0.94) << profile.name << ", seed " << kSeed;
        EXPECT_LE(postings / kLists, wanted * 1.06) << profile.name << ", seed " << kSeed;
      }
    }
}

TEST(ListModel, GivesAscendingDocumentsAndFrequencies) {
  const auto size = size_of("clueweb09", 50'000);
  const auto all = drawn(size);
  for (const std::uint32_t wanted : {1u, 3u, 500u, 49'000u, 50'000u}) {
    const auto list = draw_list(SyntheticList(size, wanted, wanted), all.windows);
    ASSERT_FALSE(list.docids.empty());
    EXPECT_TRUE(std::adjacent_find(list.docids.begin(), list.docids.end(), std::greater_equal<>()) ==
                list.docids.end());
    EXPECT_LT(list.docids.back(), 50'000u);
    ASSERT_EQ(list.frequencies.size(), list.docids.size());
    EXPECT_GE(*std::min_element(list.frequencies.begin(), list.frequencies.end()), 1u);
  }
}

TEST(ListModel, ClustersInInputOrderAndNotInRandomOrder) {
  const auto clustered = size_of("gov2", 200'000), shuffled = size_of("gov2", 200'000, DocidOrder::kRandom);
  const auto in_input = drawn(clustered), in_random = drawn(shuffled);
  for (std::uint32_t number = 0; number < 5; ++number) {
    const auto one = draw_list(SyntheticList(clustered, number, 20'000), in_input.windows);
    const auto other = draw_list(SyntheticList(shuffled, number, 20'000), in_random.windows);
    EXPECT_LT(unevenness(other, 200'000), 0.015) << "seed " << kSeed;
    EXPECT_GT(unevenness(one, 200'000), 0.03) << "seed " << kSeed;
  }
}

TEST(ListModel, PutsMoreDocumentsIntoIntersectionsThanChance) {
  const auto size = size_of("gov", 200'000, DocidOrder::kRandom);
  const auto all = drawn(size);
  const auto one = draw_list(SyntheticList(size, 1, 10'000), all.windows),
             other = draw_list(SyntheticList(size, 2, 10'000), all.windows);
  std::vector<DocId> both;
  std::set_intersection(one.docids.begin(), one.docids.end(), other.docids.begin(), other.docids.end(),
                        std::back_inserter(both));
  EXPECT_GT(both.size(), 2 * 500u) << "by chance there would be 500; seed " << kSeed;
}

TEST(ListModel, DrawsAWindowTheSameByItself) {
  const auto size = size_of("gov", 100'000);
  const auto all = drawn(size);
  const SyntheticList list(size, 3, 5'000), again(size, 3, 5'000);
  const auto whole = draw_list(list, all.windows);
  Postings part;
  again.append(all.windows[2], part);
  ASSERT_FALSE(part.docids.empty());
  const auto found = std::search(whole.docids.begin(), whole.docids.end(), part.docids.begin(), part.docids.end());
  ASSERT_NE(found, whole.docids.end());
  EXPECT_TRUE(std::equal(part.frequencies.begin(), part.frequencies.end(),
                         whole.frequencies.begin() + (found - whole.docids.begin())));
}

}  // namespace
}  // namespace frond::tools::synth
