// Parts of a ring do not overlap, and come back in any order.
#include "indexer/invert/gpu/text/lists/list_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace frond::indexer::invert::gpu {
namespace {

constexpr std::size_t kBytes = 4096;

// A ring in memory that notes when it is freed.
struct Made {
  std::array<std::byte, kBytes> memory{};
  bool freed = false;
  std::shared_ptr<SliceRing> ring() {
    return std::make_shared<SliceRing>(memory,
                                       std::shared_ptr<const void>(this, [this](const void*) { freed = true; }));
  }
};

TEST(SliceRing, GivesRoomThatCameBackAgain) {
  Made made;
  const auto ring = made.ring();
  auto first = ring->take(2048);
  auto second = ring->take(1);
  auto third = ring->take(1500);
  EXPECT_EQ(first.get(), made.memory.data());
  EXPECT_EQ(second.get(), made.memory.data() + 2048);
  EXPECT_EQ(third.get(), made.memory.data() + 2048 + 256);
  EXPECT_FALSE(ring->take(257));  // 256 are left at the end, none before the first
  second.reset();                 // is not free before the first is
  EXPECT_FALSE(ring->take(257));
  first.reset();
  const auto fourth = ring->take(2304);  // all that is before the third
  EXPECT_EQ(fourth.get(), made.memory.data());
  EXPECT_FALSE(ring->take(1));
  third.reset();
  EXPECT_TRUE(ring->take(kBytes - 2304));
  EXPECT_FALSE(ring->take(kBytes + 1));
}

TEST(SliceRing, PartsAreApart) {
  Made made;
  const auto ring = made.ring();
  std::mt19937 random(5);
  struct Taken {
    std::shared_ptr<std::byte> part;
    std::size_t bytes;
    std::byte mark;
  };
  std::vector<Taken> all;
  std::size_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t bytes = 1 + random() % (random() % 4 == 0 ? 1500 : 200);
    if (auto part = ring->take(bytes)) {
      ASSERT_LE(part.get() + bytes, made.memory.data() + kBytes);
      const auto mark = static_cast<std::byte>(random());
      std::fill_n(part.get(), bytes, mark);
      all.push_back({std::move(part), bytes, mark});
      continue;
    }
    ++refused;
    ASSERT_FALSE(all.empty());
    const std::size_t at = random() % all.size();
    const Taken one = std::exchange(all[at], all.back());
    all.pop_back();
    ASSERT_EQ(std::count(one.part.get(), one.part.get() + one.bytes, one.mark), static_cast<std::ptrdiff_t>(one.bytes));
  }
  EXPECT_GT(refused, 1000u);
}

TEST(SliceRing, LivesAsLongAsItsParts) {
  Made made;
  auto ring = made.ring();
  auto part = ring->take(1);
  ring.reset();
  EXPECT_FALSE(made.freed);
  part.reset();
  EXPECT_TRUE(made.freed);
}

}  // namespace
}  // namespace frond::indexer::invert::gpu
