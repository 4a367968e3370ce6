#include "common/codec/bits/horizontal.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "common/codec/bits/packed_number.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

using Block = std::array<std::uint32_t, kBlockLength>;

std::vector<std::uint32_t> random_numbers(std::uint32_t seed, std::size_t count, unsigned width) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> numbers(count);
  for (auto& number : numbers) number = width ? random() >> (32 - width) : 0;
  return numbers;
}

TEST(Horizontal, UnpacksEveryWidthOnEveryInstructionSet) {
  support::with_every_instruction_set([](const char* set) {
    for (unsigned width = 0; width <= 32; ++width)
      for (std::uint32_t seed = 1; seed <= 10; ++seed) {
        const auto numbers = random_numbers(seed, kBlockLength, width);
        ByteBuffer bytes;
        pack_horizontal(numbers, width, bytes);
        ASSERT_EQ(bytes.size(), 16 * width);
        const support::SlackBytes packed(bytes);
        Block got;
        unpack_horizontal(packed.view().data(), width, got.data());
        ASSERT_TRUE(std::equal(got.begin(), got.end(), numbers.begin())) << set << ", width " << width;
        unpack_32(packed.view().data(), width, got.data());
        ASSERT_TRUE(std::equal(got.begin(), got.begin() + 32, numbers.begin())) << "width " << width;
      }
  });
}

TEST(Horizontal, UnpacksAsManyAsThereAreAndReadsNoFartherThanItsSlack) {
  support::with_every_instruction_set([](const char* set) {
    for (unsigned width = 0; width <= 32; ++width)
      for (std::uint32_t count = 1; count <= kBlockLength; ++count) {
        const auto numbers = random_numbers(count, count, width);
        ByteBuffer bytes;
        pack_horizontal(numbers, width, bytes);
        const support::SlackBytes packed(bytes);
        Block got;
        unpack_horizontal(packed.view().data(), width, got.data(), count);
        ASSERT_TRUE(std::equal(numbers.begin(), numbers.end(), got.begin()))
            << set << ", width " << width << ", " << count << " numbers";
      }
  });
}

TEST(Horizontal, HasEachNumberWhereItsIndexSays) {
  for (unsigned width = 0; width <= 32; ++width)
    for (const std::size_t count : {1u, 31u, 32u, 33u, 100u, 128u, 256u}) {
      const auto numbers = random_numbers(width, count, width);
      ByteBuffer bytes;
      pack_horizontal(numbers, width, bytes);
      ASSERT_EQ(bytes.size(), (count * width + 31) / 32 * 4);
      std::vector<std::uint32_t> words(bytes.size() / 4 + 2);
      std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(words.data()));
      for (std::uint32_t i = 0; i < count; ++i)
        ASSERT_EQ(bits_at(words.data(), std::uint64_t{i} * width, width), numbers[i])
            << "width " << width << ", number " << i;
    }
}

TEST(Horizontal, IsAsWideAsTheGreatestNumber) {
  EXPECT_EQ(width_of({}), 0u);
  EXPECT_EQ(width_of(std::array{0u, 0u}), 0u);
  EXPECT_EQ(width_of(std::array{1u, 4u, 3u}), 3u);
  EXPECT_EQ(width_of(std::array{0xffffffffu, 1u}), 32u);
}

}  // namespace
}  // namespace frond::codec
