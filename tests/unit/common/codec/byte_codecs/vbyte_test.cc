#include "common/codec/byte_codecs/byte_codecs.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/instruction_sets.h"
#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

TEST(VByte, DecodesEveryLengthOnEveryInstructionSet) {
  support::with_every_instruction_set([](const char* set) {
    for (std::uint32_t seed = 1; seed <= 100; ++seed) {
      std::mt19937 random(seed);
      std::vector<Frequency> numbers(1 + random() % 400);
      for (Frequency& each : numbers) each = support::random_frequencies(random, 1, random() % (1 + seed % 33))[0];
      ByteBuffer bytes;
      vbyte().encode(numbers, Numbers::kFrequencies, bytes);
      const support::SlackBytes stream(bytes);
      const auto count = static_cast<std::uint32_t>(numbers.size());
      for (std::uint32_t first = 0; first < count; first += kBlockLength) {
        std::array<std::uint32_t, kBlockLength> out;
        ASSERT_TRUE(vbyte().decode(stream.view(), count, Numbers::kFrequencies, first / kBlockLength, 0, out))
            << set << ", seed " << seed;
        ASSERT_TRUE(
            std::equal(out.begin(), out.begin() + std::min(kBlockLength, count - first), numbers.begin() + first))
            << set << ", seed " << seed;
      }
    }
  });
}

TEST(VByte, WritesNumbersAsLEB128) {
  ByteBuffer stream, expected;
  const std::vector<Frequency> numbers = {1, 128, 129, 1u << 14, (1u << 14) + 1, 0xffffffff};
  vbyte().encode(numbers, Numbers::kFrequencies, stream);
  for (const Frequency each : numbers) ByteWriter(expected).put_varint(each - 1);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), stream.begin()));
  EXPECT_EQ(load_le<std::uint32_t>(stream.data() + stream.size() - 4), expected.size());
}

TEST(VByte, CallsANumberOfSixBytesCorrupt) {
  ByteBuffer stream(16);
  for (std::size_t i = 0; i < 5; ++i) stream[i] = std::byte{0x80};
  store_le(stream.data() + 12, std::uint32_t{6});
  std::array<std::uint32_t, kBlockLength> out;
  EXPECT_EQ(vbyte().decode(support::SlackBytes(stream).view(), 1, Numbers::kFrequencies, 0, 0, out), Code::kCorrupt);
}

}  // namespace
}  // namespace frond::codec
