#include "common/codec/patched/exception_array.h"

#include <gtest/gtest.h>

#include <array>

#include "common/codec/patched/pfordelta.h"
#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

using support::SlackBytes;

// Makes numbers of which one in `rarity` is far larger than the rest.
std::vector<std::uint32_t> skewed(std::mt19937& random, std::size_t count, std::uint32_t rarity) {
  std::vector<std::uint32_t> numbers(count);
  for (auto& number : numbers) {
    number = random() % 8;
    for (unsigned far = 0; far < 3 && support::random_below(random, rarity) == 0; ++far) number = number << 8 | 200;
  }
  return numbers;
}

// Patches the exceptions of slots of 3 bits, block by block.
void expect_patches(const std::vector<std::uint32_t>& numbers, unsigned depth, const std::string& trace) {
  const Exceptions exceptions = exceptions_of(numbers, 3);
  const auto count = static_cast<std::uint32_t>(exceptions.places.size());
  ByteBuffer arrays;
  encode_array(exceptions.places, depth, arrays);
  encode_array(exceptions.highs, depth, arrays);
  const SlackBytes bytes(arrays);
  std::uint32_t first = 0;
  for (std::size_t block = 0; block < exceptions.counts.size(); first += exceptions.counts[block++]) {
    const std::size_t begin = block * 128, size = std::min<std::size_t>(128, numbers.size() - begin);
    std::vector<std::uint32_t> got(size);
    for (std::size_t i = 0; i < size; ++i) got[i] = numbers[begin + i] & 7;
    if (exceptions.counts[block] != 0) {
      ASSERT_NE(patch_exceptions(bytes.view(), count, depth, 3, first, exceptions.counts[block], 0, got),
                kWrongExceptions)
          << trace;
    }
    ASSERT_TRUE(std::equal(got.begin(), got.end(), numbers.begin() + static_cast<std::ptrdiff_t>(begin))) << trace;
  }
}

TEST(ExceptionArrays, PatchEveryBlockAtEveryDepth) {
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    const auto numbers = skewed(random, 1 + random() % 9000, 2 + random() % 9);
    for (unsigned depth = 0; depth <= 4; ++depth)
      expect_patches(numbers, depth, "seed " + std::to_string(seed) + ", depth " + std::to_string(depth));
  }
}

TEST(ExceptionArrays, PatchWhereAllNumbersAreExceptions) {
  const std::vector<std::uint32_t> numbers(1000, 0xfffffff0);
  for (unsigned depth = 0; depth <= 4; ++depth) expect_patches(numbers, depth, "depth " + std::to_string(depth));
}

TEST(ExceptionArrays, PatchOnlyThePlacesThatAreAskedFor) {
  std::vector<std::uint32_t> numbers(128, 1);
  for (const std::uint32_t place : {0u, 63u, 64u, 127u}) numbers[place] = 9;
  const Exceptions exceptions = exceptions_of(numbers, 3);
  ByteBuffer arrays;
  encode_array(exceptions.places, 1, arrays);
  encode_array(exceptions.highs, 1, arrays);
  const SlackBytes bytes(arrays);
  std::vector<std::uint32_t> got(2);
  ASSERT_NE(patch_exceptions(bytes.view(), 4, 1, 3, 0, 4, 63, got), kWrongExceptions);
  EXPECT_EQ(got, (std::vector<std::uint32_t>{8, 8}));
}

TEST(ExceptionArrays, AreSmallerByOneLevelOfRecursion) {
  std::mt19937 random(3);
  std::vector<std::uint32_t> frequencies(1 << 16);
  for (auto& frequency : frequencies) {
    frequency = 1 + random() % 4;
    while (random() % 8 == 0) frequency = frequency * 4 + random() % 4;
  }
  std::array<std::size_t, kPForDeltaLevels> sizes;
  for (unsigned level = 0; level < kPForDeltaLevels; ++level) {
    ByteBuffer stream;
    pfordelta(level).encode(frequencies, Numbers::kFrequencies, stream);
    sizes[level] = stream.size();
  }
  EXPECT_LT(sizes[1], sizes[0]);
  for (unsigned level = 2; level < kPForDeltaLevels; ++level) EXPECT_LE(sizes[level], sizes[1]) << "level " << level;
}

TEST(ExceptionArrays, SurviveAnyBytes) {
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    std::mt19937 random(seed);
    ByteBuffer bytes(random() % 600);
    for (auto& byte : bytes) {
      byte = static_cast<std::byte>(random() & (seed % 2 ? 0xff : 0x13));
      byte &= static_cast<std::byte>(random());  // fewer ones
    }
    const SlackBytes in(bytes);
    const std::uint32_t count = 1 + random() % 2000, exceptions = 1 + random() % std::min(count, 128u);
    std::vector<std::uint32_t> out(128);
    patch_exceptions(in.view(), count, seed % 5, random() % 33, random() % (count - exceptions + 1), exceptions, 0,
                     out);
  }
}

}  // namespace
}  // namespace frond::codec
