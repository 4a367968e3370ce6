// Postings that grow in an arena.
#include "indexer/invert/posting_chain.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace frond::indexer::invert {
namespace {

TEST(PostingChain, GivesBackEveryPostingOfEveryLength) {
  std::mt19937 random(11);
  dictionary::Arena arena;
  for (const std::size_t count : {0, 1, 2, 3, 5, 6, 7, 12, 13, 30, 100, 3'000, 50'000}) {
    PostingChain chain;
    std::vector<std::pair<std::uint32_t, Frequency>> expected, got;
    std::uint32_t number = random() % 2 ? 0 : random() % 1'000;
    for (std::size_t i = 0; i < count; ++i, number += 1 + random() % (random() % 2 ? 3 : 40'000)) {
      const Frequency frequency = random() % 3 ? 1 : 1 + random() % 500;
      const Frequency some = random() % frequency;  // in one step or in two
      if (some > 0) add_occurrences(chain, number, some, arena);
      add_occurrences(chain, number, frequency - some, arena);
      expected.emplace_back(number, frequency);
    }
    for_each_posting(chain, arena, [&](std::uint32_t n, Frequency f) { got.emplace_back(n, f); });
    EXPECT_EQ(got, expected) << count;
  }
}

TEST(PostingChain, ReachesTheLastNumberOfARun) {
  dictionary::Arena arena;
  PostingChain chain;
  for (const std::uint32_t number : {0u, 0xfffffffeu}) add_occurrences(chain, number, 1, arena);
  append_posting(chain, arena);
  std::vector<std::uint32_t> got;
  chain.frequency = 0;
  for_each_posting(chain, arena, [&](std::uint32_t n, Frequency) { got.push_back(n); });
  EXPECT_EQ(got, (std::vector<std::uint32_t>{0, 0xfffffffe}));
}

}  // namespace
}  // namespace frond::indexer::invert
