#include "indexer/order/graph_bisection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace frond::indexer::order {
namespace {

// Documents of random terms, some of them frequent.
ForwardIndex random_documents(std::uint32_t seed, std::uint32_t documents, std::uint32_t terms) {
  std::mt19937 random(seed);
  ForwardIndex index;
  index.terms = terms;
  for (std::uint32_t d = 0; d < documents; ++d) {
    std::set<std::uint32_t> some;
    for (std::uint32_t i = random() % 20; i > 0; --i) some.insert(random() % (random() % terms + 1));
    index.term_numbers.insert(index.term_numbers.end(), some.begin(), some.end());
    index.begins.push_back(index.term_numbers.size());
  }
  return index;
}

// Computes in a simple way what the range's numbers must express: for each document its terms, each with its counts in
// the two halves; without terms of only one document.
using Plain = std::vector<std::multiset<std::pair<std::uint32_t, std::uint32_t>>>;
Plain plain(const ForwardIndex& index, std::span<const std::uint32_t> range, std::size_t middle) {
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> sides;
  for (std::size_t i = 0; i < range.size(); ++i)
    for (const std::uint32_t term : index.of(range[i])) ++(i < middle ? sides[term].first : sides[term].second);
  Plain documents(range.size());
  for (std::size_t i = 0; i < range.size(); ++i)
    for (const std::uint32_t term : index.of(range[i]))
      if (sides[term].first + sides[term].second > 1) documents[i].insert(sides[term]);
  return documents;
}
Plain of(const RangeIndex& range) {
  Plain documents(range.documents());
  for (std::uint32_t i = 0; i < range.documents(); ++i)
    for (const std::uint32_t term : range.of(i))
      documents[i].insert({range.sides()[term].left, range.sides()[term].right});
  return documents;
}

TEST(RangeIndex, HasTheTermsOfTwoDocumentsAndMoreAndCountsEitherHalf) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const ForwardIndex index = random_documents(seed, 300, 5 + seed * 40);
    RangeIndex range_index(index.terms);
    std::mt19937 random(seed);
    for (int i = 0; i < 10; ++i) {  // one after the other in the same memory
      std::vector<std::uint32_t> range;
      for (std::uint32_t d = 0; d < 300; ++d)
        if (random() % 3 == 0) range.push_back(d);
      std::shuffle(range.begin(), range.end(), random);
      range_index.fill(index, range, range.size() / 2);
      ASSERT_EQ(of(range_index), plain(index, range, range.size() / 2)) << "seed " << seed;
    }
  }
}

TEST(RangeIndex, OfNothingIsEmpty) {
  const ForwardIndex index = random_documents(1, 10, 5);
  RangeIndex range_index(index.terms);
  range_index.fill(index, {}, 0);
  EXPECT_EQ(range_index.documents(), 0u);
  EXPECT_TRUE(range_index.sides().empty());
}

}  // namespace
}  // namespace frond::indexer::order
