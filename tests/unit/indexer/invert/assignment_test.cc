// Which inverter gets which trie collections.
#include "indexer/invert/assignment.h"

#include <gtest/gtest.h>

#include <random>

namespace frond::indexer::invert {
namespace {

TEST(Assignment, GivesEveryGroupToOneInverterAlways) {
  std::mt19937 random(1);
  std::vector<parse::TokenGroup> sample;
  for (std::size_t c = 0; c < dictionary::kTrieCollections; c += 1 + random() % 40)
    sample.push_back({static_cast<dictionary::TrieCollection>(c), 0, 1 + static_cast<std::uint32_t>(random() % 5'000)});
  const Assignment assignment(sample, 4);
  std::vector<std::vector<parse::TokenGroup>> shares;
  assignment.split(sample, shares);
  ASSERT_EQ(shares.size(), 4u);
  std::size_t groups = 0;
  std::vector<std::uint64_t> bytes;
  for (std::uint32_t i = 0; i < 4; ++i) {
    groups += shares[i].size();
    bytes.push_back(0);
    for (const parse::TokenGroup& group : shares[i]) {
      EXPECT_EQ(assignment.inverter_of(group.collection), i);
      bytes.back() += group.end;
    }
  }
  EXPECT_EQ(groups, sample.size());
  // There are many groups and each is small, so the shares are nearly equal.
  EXPECT_LE(*std::max_element(bytes.begin(), bytes.end()), *std::min_element(bytes.begin(), bytes.end()) + 5'000);
}

TEST(Assignment, SpreadsWhatTheSampleLacks) {
  const Assignment assignment({}, 3);
  std::vector<std::size_t> count(3);
  for (std::size_t c = 0; c < dictionary::kTrieCollections; ++c)
    ++count[assignment.inverter_of(static_cast<dictionary::TrieCollection>(c))];
  for (const std::size_t n : count) EXPECT_NEAR(static_cast<double>(n), dictionary::kTrieCollections / 3.0, 1.0);
}

TEST(Assignment, GivesGpusAllButThePopularCollections) {
  std::vector<parse::TokenGroup> sample;
  for (std::uint32_t c = 0; c < 400; ++c)
    sample.push_back({static_cast<dictionary::TrieCollection>(c), 0, c % 2 ? 10 * c : 5});
  const Assignment assignment(sample, 2, 3);
  std::size_t of_cpu = 0;
  for (std::size_t c = 0; c < dictionary::kTrieCollections; ++c) {
    const auto inverter = assignment.inverter_of(static_cast<dictionary::TrieCollection>(c));
    if (inverter < 2) {
      ++of_cpu;
      EXPECT_TRUE(c % 2 == 1 && c > 200 && c < 400) << c;
    } else {
      EXPECT_EQ(inverter, 2 + c % 3);
    }
  }
  EXPECT_EQ(of_cpu, Assignment::kPopular);
}

}  // namespace
}  // namespace frond::indexer::invert
