// No posting may score more than the bounds of its block and its list, whatever statistics a later generation has.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "common/postings/posting_list.h"
#include "tests/support/built_list.h"

namespace frond::postings {
namespace {

using scoring::BoundScale;

// The statistics of a generation that may contain the partition.
struct Later {
  scoring::CollectionStatistics statistics;
  std::uint64_t document_frequency;
};
Later random_generation(std::mt19937& random, const support::BuiltList& list) {
  const std::uint64_t documents = list.docids.size() + random() % 100'000'000;
  // Average lengths from a hundredth to a hundred times the one that the partition was built with, and exactly that.
  const double factor = random() % 4 == 0 ? 1.0 : std::pow(10.0, (static_cast<int>(random() % 401) - 200) / 100.0);
  const double tokens = list.average_length * factor * static_cast<double>(documents);
  return {{documents, static_cast<std::uint64_t>(tokens) + 1}, list.docids.size() + random() % 1000};
}

// `b`: of the build.
void expect_bounded(const support::BuiltList& built, double b, const scoring::Bm25Parameters& parameters,
                    const Later& later) {
  const PostingList list = built.open();
  const auto norm = scoring::length_norm(parameters, later.statistics);
  for (const std::uint32_t query_frequency : {1u, 3u}) {
    const float weight = scoring::term_weight(parameters, later.statistics, later.document_frequency, query_frequency);
    const BoundScale bounds(weight, parameters, later.statistics, {b, built.average_length});
    const scoring::Score list_bound = bounds.bound(list.list_deficit());
    std::array<std::uint32_t, kBlockLength> docids, frequencies;
    for (std::uint32_t block = 0; block < list.blocks(); ++block) {
      ASSERT_TRUE(list.decode_docids(block, docids));
      ASSERT_TRUE(list.decode_frequencies(block, frequencies));
      const scoring::Score bound = bounds.bound(list.block_deficit(block));
      ASSERT_LE(bound, list_bound);
      for (std::uint32_t i = 0; i < list.block_size(block); ++i)
        ASSERT_LE(scoring::contribution(weight, frequencies[i], built.lengths[docids[i]], norm), bound)
            << "tf " << frequencies[i] << ", length " << built.lengths[docids[i]];
    }
  }
}

TEST(ScoreBounds, HoldForEveryPostingInEveryLaterGenerationForAnyParameters) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const scoring::Bm25Parameters parameters = {.k1 = random() % 401 / 100.0, .b = random() % 101 / 100.0};
    const auto built = support::build_list(seed, 1 + random() % 600, 1 + random() % 6, random() % 8,
                                           codec::kDefaultCodec, parameters.b);
    for (int round = 0; round < 10; ++round) {
      expect_bounded(built, parameters.b, parameters, random_generation(random, built));
      const scoring::Bm25Parameters asked = {.k1 = random() % 401 / 100.0, .b = random() % 101 / 100.0};
      expect_bounded(built, parameters.b, asked, random_generation(random, built));
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ScoreBounds, AreNearlyReachedAtTheAverageTheyWereBuiltWith) {
  const scoring::Bm25Parameters parameters;
  const auto built = support::build_list(1, 1000, 4, 3);
  const scoring::CollectionStatistics statistics = {100'000,
                                                    static_cast<std::uint64_t>(built.average_length * 100'000)};
  const float weight = scoring::term_weight(parameters, statistics, 1000, 1);
  const auto norm = scoring::length_norm(parameters, statistics);
  scoring::Score best = 0;
  for (std::size_t i = 0; i < built.docids.size(); ++i)
    best = std::max(best, scoring::contribution(weight, built.frequencies[i], built.lengths[built.docids[i]], norm));
  const BoundScale bounds(weight, parameters, statistics, {parameters.b, built.average_length});
  EXPECT_LE(bounds.bound(built.open().list_deficit()), best + best / 100);
}

}  // namespace
}  // namespace frond::postings
