#include "common/device/arena.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tests/support/collections/random_collection.h"

namespace frond::device {
namespace {

alignas(Arena::kGranule) std::byte memory[64 * Arena::kGranule];

TEST(Arena, GivesPiecesThatDoNotOverlapAndTakesThemBack) {
  const std::uint64_t seed = 801;
  support::Random random(seed);
  Arena arena(memory, sizeof memory);
  std::map<std::byte*, std::size_t> pieces;
  for (int step = 0; step < 5000; ++step) {
    if (random.below(2) || pieces.empty()) {
      const std::size_t bytes = 1 + random.below(6 * Arena::kGranule);
      std::byte* piece = arena.allocate(bytes);
      if (!piece) continue;
      ASSERT_GE(piece, memory) << "seed " << seed;
      ASSERT_LE(piece + bytes, memory + sizeof memory) << "seed " << seed;
      ASSERT_EQ((piece - memory) % static_cast<std::ptrdiff_t>(Arena::kGranule), 0) << "seed " << seed;
      const auto after = pieces.lower_bound(piece);
      const bool clear_after = after == pieces.end() || piece + bytes <= after->first;
      const bool clear_before = after == pieces.begin() || piece >= std::prev(after)->first + std::prev(after)->second;
      ASSERT_TRUE(clear_after && clear_before) << "seed " << seed << " step " << step;
      pieces.emplace(piece, bytes);
    } else {
      const auto one = std::next(pieces.begin(), static_cast<std::ptrdiff_t>(random.below(pieces.size())));
      arena.release(one->first);
      pieces.erase(one);
    }
  }
  for (const auto& [piece, bytes] : pieces) arena.release(piece);
  EXPECT_EQ(arena.used(), 0u);
  EXPECT_NE(arena.allocate(sizeof memory), nullptr);  // all gaps have been merged
}

TEST(Arena, SaysWhenNoGapIsLargeEnough) {
  Arena arena(memory, 4 * Arena::kGranule);
  EXPECT_EQ(arena.allocate(5 * Arena::kGranule), nullptr);
  std::byte* first = arena.allocate(Arena::kGranule);
  std::byte* second = arena.allocate(2 * Arena::kGranule);
  EXPECT_EQ(arena.allocate(Arena::kGranule + 1), nullptr);
  arena.release(first);
  EXPECT_EQ(arena.allocate(Arena::kGranule + 1), nullptr);  // two separate gaps of one granule
  EXPECT_EQ(arena.used(), 2 * Arena::kGranule);
  arena.release(second);
  EXPECT_NE(arena.allocate(4 * Arena::kGranule), nullptr);
}

}  // namespace
}  // namespace frond::device
