#include "common/codec/byte_codecs/length_codes.h"

#include <gtest/gtest.h>

#include <array>

#include "common/codec/distances.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

using Block = std::array<std::uint32_t, kBlockLength>;

Block random_block(std::uint32_t seed) {
  std::mt19937 random(seed);
  Block numbers;
  for (auto& number : numbers) {
    const unsigned width = seed % 2 ? random() % 33 : seed % 33;
    number = width ? random() >> (32 - width) : 0;
  }
  return numbers;
}

TEST(LengthCodes, GiveTheirNumbersBackOnEveryInstructionSet) {
  support::with_every_instruction_set([](const char* set) {
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
      const Block numbers = random_block(seed);
      ByteBuffer codes, data, interleaved;
      append_length_coded(numbers, codes, data);
      ASSERT_EQ(codes.size(), kBlockLength / 4);
      for (std::size_t i = 0; i < kBlockLength; i += 4) {
        ByteBuffer code;
        append_length_coded(std::span(numbers).subspan(i, 4), code, interleaved);
        interleaved.insert(interleaved.end() - sum_of_lengths(code), code[0]);
      }
      const support::SlackBytes code_bytes(codes), data_bytes(data), interleaved_bytes(interleaved);
      Block got, expected = numbers;
      for (const auto kind : {Numbers::kFrequencies, Numbers::kDocIds}) {
        expected = numbers;
        const bool fine = from_distances(expected, kBlockLength, kind, 1000);
        ASSERT_EQ(
            decode_length_coded(code_bytes.view().data(), data_bytes.view().data(), kind, 1000, got, kBlockLength),
            fine)
            << set << ", seed " << seed;
        ASSERT_EQ(got, expected) << set << ", seed " << seed;
      }
      decode_interleaved(interleaved_bytes.view().data(), got.data());
      ASSERT_EQ(got, numbers) << set << ", seed " << seed;
    }
  });
}

TEST(LengthCodes, MindAFrequencyOfZeroOnlyAmongTheNumbersThatThereAre) {
  support::with_every_instruction_set([](const char* set) {
    Block numbers{};
    numbers[100] = 0xffffffff;
    ByteBuffer codes, data;
    append_length_coded(numbers, codes, data);
    const support::SlackBytes code_bytes(codes), data_bytes(data);
    for (const std::uint32_t size : {1u, 100u, 101u, 128u}) {
      Block got;
      EXPECT_EQ(
          decode_length_coded(code_bytes.view().data(), data_bytes.view().data(), Numbers::kFrequencies, 0, got, size),
          size <= 100)
          << set << ", " << size << " numbers";
    }
  });
}

TEST(LengthCodes, AreAddedUpForAnyNumberOfBytes) {
  std::mt19937 random(3);
  for (std::size_t size = 0; size < 300; ++size) {
    ByteBuffer codes(size);
    for (std::byte& code : codes) code = size % 3 ? static_cast<std::byte>(random()) : std::byte{0xff};
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < size * 4; ++i)
      sum += length_at(reinterpret_cast<const std::uint8_t*>(codes.data()), i);
    EXPECT_EQ(sum_of_lengths(codes), sum) << size << " bytes";
  }
}

TEST(LengthCodes, AreAsShortAsTheNumber) {
  for (unsigned width = 0; width <= 32; ++width) {
    const std::uint32_t number = width ? 0xffffffffu >> (32 - width) : 0;
    ByteBuffer codes, data;
    append_length_coded(std::array{number}, codes, data);
    EXPECT_EQ(data.size(), width <= 8 ? 1u : (width + 7) / 8) << width << " bits";
    EXPECT_EQ(codes.size(), 1u);
    EXPECT_EQ(length_at(reinterpret_cast<const std::uint8_t*>(codes.data()), 0), data.size());
  }
}

}  // namespace
}  // namespace frond::codec
