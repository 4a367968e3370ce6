#include "indexer/order/graph_bisection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "tests/support/forward_indexes.h"

namespace frond::indexer::order {
namespace {

using support::topical_documents;

bool is_permutation(std::vector<std::uint32_t> order, std::uint32_t documents) {
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> all(documents);
  std::iota(all.begin(), all.end(), 0u);
  return order == all;
}

// How many bits the gaps of all lists take.
std::uint64_t gap_bits(const ForwardIndex& index, const std::vector<std::uint32_t>& order) {
  std::map<std::uint32_t, std::uint32_t> last;
  std::uint64_t bits = 0;
  for (std::uint32_t place = 0; place < order.size(); ++place)
    for (const std::uint32_t term : index.of(order[place])) {
      bits += static_cast<unsigned>(std::bit_width(place + 1 - last[term]));
      last[term] = place + 1;
    }
  return bits;
}

std::vector<std::uint32_t> input_order(const ForwardIndex& index) {
  std::vector<std::uint32_t> order(index.documents());
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

TEST(GraphBisection, GivesEveryDocumentOnce) {
  for (const std::uint32_t documents : {0u, 1u, 2u, 15u, 16u, 17u, 33u, 500u, 1023u}) {
    const ForwardIndex index = topical_documents(documents, documents, 5);
    EXPECT_TRUE(is_permutation(bisect(index, 1, {}), documents)) << documents;
  }
}

TEST(GraphBisection, GivesTheSameOrderForAnyNumberOfThreads) {
  for (std::uint32_t seed = 1; seed <= 2; ++seed) {
    const ForwardIndex index = topical_documents(seed, 9000 + seed, 7);
    const auto order = bisect(index, 1, {});
    for (const std::uint32_t threads : {2u, 3u, 8u}) EXPECT_EQ(bisect(index, threads, {}), order) << "seed " << seed;
  }
}

// A change of the algorithm changes these numbers; another compiler, machine or build must not.
TEST(GraphBisection, GivesTheSameOrderOnEveryMachine) {
  const auto digest = [](const std::vector<std::uint32_t>& order) {
    std::uint64_t hash = 0;
    for (const std::uint32_t document : order) hash = hash * 1000003 + document;
    return hash;
  };
  EXPECT_EQ(digest(bisect(topical_documents(1, 5000, 7), 1, {})), 4697201516949276948u);
  EXPECT_EQ(digest(bisect(topical_documents(2, 777, 3), 1, {})), 15738103821832395544u);
}

TEST(GraphBisection, BringsDocumentsOfATopicTogether) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const ForwardIndex index = topical_documents(seed, 2000, 8);
    EXPECT_LT(gap_bits(index, bisect(index, 2, {})), gap_bits(index, input_order(index)) * 3 / 4) << "seed " << seed;
  }
}

TEST(GraphBisection, LeavesDocumentsWithoutTermsInTheInputsOrder) {
  ForwardIndex index;
  index.begins.assign(101, 0);
  EXPECT_EQ(bisect(index, 2, {}), input_order(index));
}

TEST(GraphBisection, GivesEveryDocumentOnceWhenItIsStopped) {
  const ForwardIndex index = topical_documents(1, 1000, 5);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(is_permutation(bisect(index, 2, stop.get_token()), 1000));
}

}  // namespace
}  // namespace frond::indexer::order
