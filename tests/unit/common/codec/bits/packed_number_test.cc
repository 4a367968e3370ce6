#include "common/codec/bits/packed_number.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <span>

namespace frond::codec {
namespace {

TEST(PackedNumber, IsTheBitsFromWhereItBegins) {
  std::mt19937 random(9);
  std::array<std::uint32_t, 36> words;
  for (auto& word : words) word = random();
  const std::byte* bytes = std::as_bytes(std::span(words)).data();
  for (unsigned width = 0; width <= 32; ++width)
    for (std::uint32_t bit = 0; bit < 32 * 32; ++bit) {
      std::uint32_t expected = 0;
      for (unsigned i = 0; i < width; ++i) expected |= (words[(bit + i) / 32] >> (bit + i) % 32 & 1) << i;
      ASSERT_EQ(bits_at(words.data(), bit, width), expected) << "bit " << bit << ", width " << width;
      ASSERT_EQ(bits_at(bytes, bit, width), expected) << "bit " << bit << ", width " << width;
    }
}

TEST(PackedNumber, OfABlockInFourLanesIsABitStringOfItsLane) {
  std::mt19937 random(10);
  std::array<std::uint32_t, 4 * 32> words;
  for (auto& word : words) word = random();
  for (unsigned width = 1; width <= 32; ++width)
    for (std::uint32_t i = 0; i < 128; ++i) {
      std::array<std::uint32_t, 33> lane{};
      for (std::size_t w = 0; w < 32; ++w) lane[w] = words[4 * w + i % 4];
      ASSERT_EQ(vertical_number(words.data(), i, width), bits_at(lane.data(), i / 4 * width, width))
          << "width " << width << ", number " << i;
    }
}

}  // namespace
}  // namespace frond::codec
