#include "common/codec/binary_packing/simd_bp128.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "common/codec/bits/packed_number.h"
#include "common/codec/bits/vertical.h"
#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

using Block = std::array<std::uint32_t, kBlockLength>;

// The unpack tables that this processor supports.
std::vector<std::pair<std::string, const UnpackTable*>> tables() {
  std::vector<std::pair<std::string, const UnpackTable*>> all = {{"baseline", &baseline_unpack()}};
  if (const UnpackTable* table = avx512_unpack()) all.emplace_back("avx512", table);
  return all;
}

TEST(SimdBp128, UnpacksEveryWidthAsTheOneNumberDefinitionDoes) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed)
    for (unsigned width = 0; width <= 32; ++width) {
      std::mt19937 random(seed * 100 + width);
      std::vector<std::uint32_t> words(4 * width + 4);
      for (auto& word : words) word = random();
      const support::SlackBytes bytes(std::as_bytes(std::span(words)).first(std::size_t{16} * width));
      const std::uint32_t before = random();
      Block docids, frequencies;
      std::uint32_t sum = before;
      for (std::uint32_t i = 0; i < kBlockLength; ++i) {
        const std::uint32_t stored = width ? vertical_number(words.data(), i, width) : 0;
        docids[i] = sum += stored + 1;
        frequencies[i] = stored + 1;
      }
      for (const auto& [name, table] : tables()) {
        Block out;
        table->docids[width](bytes.view().data(), before, out.data());
        ASSERT_EQ(out, docids) << name << ", width " << width << ", seed " << seed;
        table->frequencies[width](bytes.view().data(), 0, out.data());
        ASSERT_EQ(out, frequencies) << name << ", width " << width << ", seed " << seed;
      }
    }
}

TEST(SimdBp128, LaysItsStreamOutAsDocumented) {
  // 17 full blocks of width 1, then one number: checkpoint of block 16, widths, and a Rice code.
  std::vector<Frequency> frequencies(17 * kBlockLength + 1, 2);
  ByteBuffer stream;
  simd_bp128().encode(frequencies, Numbers::kFrequencies, stream);
  ASSERT_EQ(stream.size(), (17 * 16 + 1 + simd_bp_index_bytes(17 * 128 + 1) + 15) / 16 * 16);
  EXPECT_EQ(simd_bp_index_bytes(17 * 128 + 1), 18u + 4u);
  EXPECT_EQ(load_le<std::uint32_t>(stream.data() + stream.size() - 4), 16u);  // block 16 begins after 16 units
  for (std::size_t block = 0; block < 17; ++block)
    EXPECT_EQ(stream[stream.size() - 22 + block], std::byte{1}) << "width of block " << block;
  std::array<std::uint32_t, 8> words;
  std::memcpy(words.data(), stream.data(), sizeof words);
  for (std::uint32_t i = 0; i < kBlockLength; ++i) EXPECT_EQ(vertical_number(words.data(), i, 1), 1u);
}

TEST(SimdBp128, NumbersLieInFourLanes) {
  // Widths of 8: number j is byte (j / 4) % 4 of word (j / 16) * 4 + j % 4.
  std::vector<Frequency> frequencies(kBlockLength);
  for (std::uint32_t j = 0; j < kBlockLength; ++j) frequencies[j] = 128 + j + 1;
  ByteBuffer stream;
  simd_bp128().encode(frequencies, Numbers::kFrequencies, stream);
  for (std::uint32_t j = 0; j < kBlockLength; ++j)
    EXPECT_EQ(static_cast<std::uint8_t>(stream[(j / 16 * 4 + j % 4) * 4 + j / 4 % 4]), 128 + j) << "number " << j;
}

}  // namespace
}  // namespace frond::codec
