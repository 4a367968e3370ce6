// Memory for texts: aligned, and kept for the next ones as far as it may be.
#include "indexer/parse/large_pages.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "indexer/parse/parsed_batch.h"

namespace frond::indexer::parse {
namespace {

TEST(LargePages, AreKeptForWhoTakesAsMuch) {
  void* const first = take_large_pages(kLargePage);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % kLargePage, 0u);
  std::memset(first, 7, kLargePage);
  {
    const RetainedLargePages kept(3 * kLargePage);
    give_large_pages(first, kLargePage);
    void* const larger = take_large_pages(2 * kLargePage);
    EXPECT_NE(larger, first);
    void* const again = take_large_pages(kLargePage);
    EXPECT_EQ(again, first);
    EXPECT_EQ(static_cast<char*>(again)[kLargePage - 1], 7);
    give_large_pages(larger, 2 * kLargePage);
    give_large_pages(again, kLargePage);
    // There is no room for more, so the system gets it.
    void* const fresh = take_large_pages(4 * kLargePage);
    give_large_pages(fresh, 4 * kLargePage);
    EXPECT_EQ(take_large_pages(2 * kLargePage), larger);
    give_large_pages(larger, 2 * kLargePage);
  }
  // Nobody keeps it now: what the system gives is zeros.
  void* const after = take_large_pages(kLargePage);
  EXPECT_EQ(static_cast<char*>(after)[kLargePage - 1], 0);
  give_large_pages(after, kLargePage);
}

TEST(LargePages, ArePinnedUntilTheSystemGetsThem) {
  std::vector<void*> pinned, unpinned;
  bool works = true;
  const PagePinning pinning{[&](void* memory, std::size_t bytes) {
                              EXPECT_EQ(bytes, kLargePage);
                              pinned.push_back(memory);
                              return works;
                            },
                            [&](void* memory) { unpinned.push_back(memory); }};
  void* const piece = take_large_pages(kLargePage);
  {
    const RetainedLargePages kept(kLargePage);
    EXPECT_TRUE(pin_large_pages(piece, pinning));
    EXPECT_TRUE(pin_large_pages(piece, pinning)) << "again";
    EXPECT_FALSE(pin_large_pages(static_cast<std::byte*>(piece) + 1, pinning)) << "within a piece";
    give_large_pages(piece, kLargePage);
    EXPECT_EQ(take_large_pages(kLargePage), piece);
    EXPECT_TRUE(pin_large_pages(piece, pinning)) << "it was kept";
    give_large_pages(piece, kLargePage);
    EXPECT_EQ(pinned, std::vector<void*>{piece});
    EXPECT_TRUE(unpinned.empty());
  }
  EXPECT_EQ(unpinned, std::vector<void*>{piece});
  EXPECT_FALSE(pin_large_pages(piece, pinning)) << "the system has it";

  works = false;
  pinned.clear();
  void* const other = take_large_pages(kLargePage);
  EXPECT_FALSE(pin_large_pages(other, pinning));
  EXPECT_FALSE(pin_large_pages(other, pinning)) << "tried once";
  give_large_pages(other, kLargePage);
  EXPECT_EQ(pinned.size(), 1u);
  EXPECT_EQ(unpinned.size(), 1u);
}

TEST(LargePages, HoldTextsThatGrow) {
  const RetainedLargePages kept(8 * kLargePage);
  for (int round = 0; round < 3; ++round) {
    DocumentTexts texts;
    for (int i = 0; i < 5000; ++i)
      texts.add("title " + std::to_string(i), std::string(997, static_cast<char>('a' + i % 26)));
    for (std::size_t i = 0; i < 5000; ++i) {
      const std::string expected =
          "title " + std::to_string(i) + "\n" + std::string(997, static_cast<char>('a' + i % 26)) + "\n";
      ASSERT_EQ(texts.of(i), expected);
    }
  }
}

}  // namespace
}  // namespace frond::indexer::parse
