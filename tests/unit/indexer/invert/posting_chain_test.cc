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
      if (some > 0) ChainTail(chain, arena).add(number, some);
      ChainTail(chain, arena).add(number, frequency - some);
      expected.emplace_back(number, frequency);
    }
    for_each_posting(chain, arena, [&](std::uint32_t n, Frequency f) { got.emplace_back(n, f); });
    EXPECT_EQ(got, expected) << count;
  }
}

TEST(PostingChain, ReachesTheLastNumberOfARun) {
  dictionary::Arena arena;
  PostingChain chain;
  for (const std::uint32_t number : {0u, 0xfffffffeu}) ChainTail(chain, arena).add(number, 1);
  append_posting(chain, arena);
  std::vector<std::uint32_t> got;
  chain.frequency = 0;
  for_each_posting(chain, arena, [&](std::uint32_t n, Frequency) { got.push_back(n); });
  EXPECT_EQ(got, (std::vector<std::uint32_t>{0, 0xfffffffe}));
}

TEST(PostingChain, CodesEveryGapAndFrequency) {
  const std::vector<Frequency> frequencies = {1, 2, 3, 4, 5, 127, 128, 16'383, 16'384, 0x0fffffff, 0xffffffff};
  dictionary::Arena arena;
  PostingChain one_by_one, together;
  std::vector<std::pair<std::uint32_t, Frequency>> expected, got, got_together;
  std::uint64_t number = 0;
  {
    ChainTail tail(together, arena);
    for (unsigned bits = 0; bits < 31; ++bits)
      for (const std::uint32_t gap : {(1u << bits) - 1, 1u << bits}) {
        const Frequency frequency = frequencies[expected.size() % frequencies.size()];
        if (gap == 0 || number + gap > 0xffffffff) continue;
        number += gap;
        expected.emplace_back(number, frequency);
        ChainTail(one_by_one, arena).add(static_cast<std::uint32_t>(number), frequency);
        tail.add(static_cast<std::uint32_t>(number), 1);
        if (frequency > 1) tail.add(static_cast<std::uint32_t>(number), frequency - 1);
      }
  }
  for_each_posting(one_by_one, arena, [&](std::uint32_t n, Frequency f) { got.emplace_back(n, f); });
  for_each_posting(together, arena, [&](std::uint32_t n, Frequency f) { got_together.emplace_back(n, f); });
  EXPECT_EQ(got, expected);
  EXPECT_EQ(got_together, expected);
}

TEST(PostingChain, MayBeLeftAndTakenUpAgain) {
  std::mt19937 random(5);
  dictionary::Arena arena;
  std::vector<PostingChain> chains(40);
  std::vector<std::vector<std::pair<std::uint32_t, Frequency>>> expected(chains.size());
  for (std::uint32_t number = 0; number < 30'000;) {
    const std::size_t i = random() % chains.size();
    ChainTail tail(chains[i], arena);
    for (std::size_t postings = random() % 40; postings > 0; --postings, ++number) {
      const auto frequency = static_cast<Frequency>(1 + random() % 6);
      tail.add(number, frequency);
      expected[i].emplace_back(number, frequency);
    }
  }
  for (std::size_t i = 0; i < chains.size(); ++i) {
    std::vector<std::pair<std::uint32_t, Frequency>> got;
    for_each_posting(chains[i], arena, [&](std::uint32_t n, Frequency f) { got.emplace_back(n, f); });
    EXPECT_EQ(got, expected[i]);
  }
}

}  // namespace
}  // namespace frond::indexer::invert
