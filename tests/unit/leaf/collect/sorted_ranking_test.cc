#include "leaf/collect/sorted_ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>

namespace frond::leaf::collect {
namespace {

// Values of very different lengths, some of which are equal.
std::vector<std::pair<std::string, Ordinal>> random_hits(std::mt19937& random, std::size_t count) {
  std::vector<std::pair<std::string, Ordinal>> hits;
  for (Ordinal i = 0; i < count; ++i)
    hits.emplace_back(std::string(random() % 3 == 0 ? random() % 200 : 2, static_cast<char>('a' + random() % 26)), i);
  return hits;
}

// The first of those of each partition, as collect() gives them.
SortedHits first_of(std::vector<std::pair<std::string, Ordinal>> hits, std::size_t depth, std::size_t max_bytes) {
  std::ranges::sort(hits);
  SortedHits first;
  for (std::size_t i = 0, bytes = 0; i < std::min(depth, hits.size()) && bytes <= max_bytes; ++i) {
    bytes += hits[i].first.size();
    first.hits.push_back({hits[i].second, 0});
    first.sort_bytes.push_back(hits[i].first);
  }
  return first;
}

TEST(SortedRanking, IsThatOfAllHitsOrRefusedWhateverPartitionsTheyLieIn) {
  constexpr std::uint32_t kSeed = 17;
  std::mt19937 random(kSeed);
  int refused = 0, whole = 0;
  for (int round = 0; round < 500; ++round) {
    const auto hits = random_hits(random, 1 + random() % 300);
    const std::size_t depth = random() % 100, max_bytes = random() % 3000;
    const SortedHits expected = first_of(hits, depth, ~std::size_t{0});
    std::size_t bytes = 0;
    for (const std::string& one : expected.sort_bytes) bytes += one.size();
    std::vector<std::vector<std::pair<std::string, Ordinal>>> partitions(1 + random() % 8);
    for (const auto& hit : hits) partitions[random() % partitions.size()].push_back(hit);
    SortedRanking ranking(depth, max_bytes);
    for (const auto& partition : partitions) {
      ranking.add(first_of(partition, depth, max_bytes));
      ASSERT_LE(ranking.bytes(), max_bytes + 200) << "seed " << kSeed << ", round " << round;
    }
    const auto got = ranking.take();
    ASSERT_EQ(got.has_value(), bytes <= max_bytes) << "seed " << kSeed << ", round " << round;
    ++(got ? whole : refused);
    if (!got) {
      EXPECT_EQ(got.error().code(), Code::kInvalid);
      continue;
    }
    EXPECT_EQ(got->hits, expected.hits);
    EXPECT_EQ(got->sort_bytes, expected.sort_bytes);
  }
  EXPECT_GT(std::min(refused, whole), 50);
}

TEST(SortedRanking, ForgetsWhatItHasIfAsked) {
  SortedRanking ranking(3, 1);
  ranking.add({{{1, 0}}, {"long"}});
  ranking.clear();
  ranking.add({{{2, 0}}, {"a"}});
  EXPECT_EQ(ranking.take()->hits, (std::vector<topk::Hit>{{2, 0}}));
}

}  // namespace
}  // namespace frond::leaf::collect
