#include "common/codec/bits/rice.h"

#include <gtest/gtest.h>

#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

using support::SlackBytes;

std::vector<std::uint32_t> random_numbers(std::mt19937& random, std::size_t count, unsigned width) {
  std::vector<std::uint32_t> numbers(count);
  for (auto& number : numbers) number = width ? random() >> (32 - width) : 0;
  return numbers;
}

TEST(Rice, ReturnsItsNumbersFromAnyBit) {
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    std::mt19937 random(seed);
    const auto numbers = random_numbers(random, 1 + random() % 127, random() % 33);
    const RiceChoice choice = choose_rice(numbers);
    const unsigned shift = random() % 9;
    ByteBuffer bytes;
    BitWriter bits(bytes);
    bits.put(0xffffffff, shift);
    encode_rice(numbers, choice.parameter, bits);
    EXPECT_EQ(bytes.size(), (shift + choice.bits + 7) / 8) << "seed " << seed;
    std::vector<std::uint32_t> got(numbers.size());
    ASSERT_EQ(decode_rice(SlackBytes(bytes).view(), shift, choice.parameter, got), shift + choice.bits)
        << "seed " << seed;
    ASSERT_EQ(got, numbers) << "seed " << seed;
  }
}

TEST(Rice, ChoosesTheParameterOfFewestBits) {
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    std::mt19937 random(seed);
    const auto numbers = random_numbers(random, 1 + random() % 127, random() % 33);
    std::uint64_t fewest = ~std::uint64_t{0};
    for (unsigned k = 0; k < 32; ++k) {
      std::uint64_t bits = 0;
      for (const auto number : numbers) bits += k + 1 + (number >> k);
      fewest = std::min(fewest, bits);
    }
    ASSERT_EQ(choose_rice(numbers).bits, fewest) << "seed " << seed;
  }
}

TEST(Rice, NeverTakesMoreThan33BitsANumber) {
  const std::vector<std::uint32_t> numbers(127, 0xffffffff);
  EXPECT_LE(choose_rice(numbers).bits, 33u * 127);
}

TEST(Rice, CallsACodeThatEndsBehindItsBytesWrong) {
  std::mt19937 random(5);
  const auto numbers = random_numbers(random, 100, 9);
  ByteBuffer bytes;
  BitWriter bits(bytes);
  const unsigned parameter = choose_rice(numbers).parameter;
  encode_rice(numbers, parameter, bits);
  std::vector<std::uint32_t> got(numbers.size());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_EQ(decode_rice(SlackBytes(ByteView(bytes).first(size)).view(), 0, parameter, got), 0u) << size << " bytes";
}

}  // namespace
}  // namespace frond::codec
