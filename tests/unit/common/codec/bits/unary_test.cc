#include "common/codec/bits/unary.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/support/instruction_sets.h"
#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

// The definition, computed one bit after the other.
std::vector<std::uint16_t> ones_of(ByteView bytes, unsigned first, unsigned count) {
  std::vector<std::uint16_t> ones;
  for (unsigned bit = first; bit < first + count; ++bit)
    if (static_cast<unsigned>(bytes[bit / 8]) >> bit % 8 & 1) ones.push_back(static_cast<std::uint16_t>(bit));
  return ones;
}

void expect_finds(FindOnes find) {
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    std::mt19937 random(seed);
    ByteBuffer bytes(64);
    for (std::byte& byte : bytes) {
      byte = static_cast<std::byte>(random());
      if (seed % 3) byte &= static_cast<std::byte>(random());  // fewer ones
    }
    const unsigned first = random() % 8, count = 128 + random() % (kUnaryBits - 128);
    std::vector<std::uint16_t> found(kOnesRoom);
    found.resize(find(bytes.data(), first, count, found.data()));
    ASSERT_EQ(found, ones_of(bytes, first, count)) << "seed " << seed;
  }
}

TEST(UnaryParts, HaveTheirOnesFoundFromAnyBit) { expect_finds(baseline_find_ones); }

TEST(UnaryParts, HaveTheirOnesFoundWhereAllBitsAreOnes) {
  const ByteBuffer bytes(64, std::byte{0xff});
  std::vector<std::uint16_t> found(kOnesRoom);
  EXPECT_EQ(find_ones()(bytes.data(), 7, kUnaryBits - 1, found.data()), kUnaryBits - 1);
  EXPECT_EQ(found[0], 7);
  EXPECT_EQ(found[kUnaryBits - 2], kUnaryBits + 5);
}

TEST(UnaryParts, HaveTheSameOnesFoundByTheFastestThatThisProcessorRuns) { expect_finds(find_ones()); }

TEST(UnaryParts, AreAddedAsTheirDefinitionSaysOnEveryInstructionSet) {
  support::with_every_instruction_set([](const char* set) {
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
      std::mt19937 random(seed);
      const std::uint32_t first = random() % 8;
      const unsigned parameter = seed % 32;
      std::array<std::uint16_t, kBlockLength + 1> room;  // with a place before the first
      std::array<std::uint32_t, kBlockLength> low, sums, parts;
      std::uint32_t bit = first, sum = 0;
      for (std::uint32_t i = 0; i < kBlockLength; ++i) {
        const std::uint32_t part = random() % 3;
        bit += part;
        sum += part;
        room[i + 1] = static_cast<std::uint16_t>(bit++);
        low[i] = random();
        sums[i] = low[i] + (sum << parameter);
        parts[i] = low[i] + (part << parameter);
      }
      auto docids = low, frequencies = low;
      const std::span<const std::uint16_t, kBlockLength> ones(room.data() + 1, kBlockLength);
      add_unary_sums(ones, first, parameter, docids);
      ASSERT_EQ(docids, sums) << set << ", seed " << seed;
      add_unary_parts(room.data() + 1, first, parameter, frequencies);
      ASSERT_EQ(frequencies, parts) << set << ", seed " << seed;
    }
  });
}

}  // namespace
}  // namespace frond::codec
