// Difficult blocks of the codecs with patched blocks, and what the blocks' headers contain.
#include "common/codec/patched/patched_blocks.h"

#include <gtest/gtest.h>

#include "common/codec/patched/newpfd.h"
#include "common/codec/patched/parapfor.h"
#include "common/codec/patched/pfd.h"
#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

class EveryPatchedCodec : public testing::TestWithParam<const ListCodec*> {
 protected:
  std::uint32_t header_bytes() const { return GetParam() == &newpfd() ? 2 : 4; }
  ByteBuffer encoded(const std::vector<std::uint32_t>& frequencies) const {
    ByteBuffer stream;
    GetParam()->encode(frequencies, Numbers::kFrequencies, stream);
    return stream;
  }
  // The header of block 0 of a stream of one full block.
  std::uint32_t header(const ByteBuffer& stream) const {
    const std::byte* at = stream.data() + stream.size() - header_bytes();
    return header_bytes() == 2 ? load_le<std::uint16_t>(at) : load_le<std::uint32_t>(at);
  }
  void expect_returns(const std::vector<std::uint32_t>& frequencies, const std::string& trace) const {
    const support::SlackBytes stream(encoded(frequencies));
    std::array<std::uint32_t, kBlockLength> out;
    ASSERT_TRUE(GetParam()->decode(stream.view(), kBlockLength, Numbers::kFrequencies, 0, 0, out)) << trace;
    EXPECT_EQ(std::vector<std::uint32_t>(out.begin(), out.end()), frequencies) << trace;
  }
};

TEST_P(EveryPatchedCodec, KeepsAnExceptionInEveryPlace) {
  for (std::uint32_t place = 0; place < kBlockLength; ++place) {
    std::vector<std::uint32_t> frequencies(kBlockLength, 3);
    frequencies[place] = 1u << 31;
    expect_returns(frequencies, "place " + std::to_string(place));
  }
}

TEST_P(EveryPatchedCodec, KeepsExceptionsInTheFirstAndLastPlace) {
  std::vector<std::uint32_t> frequencies(kBlockLength, 1);
  frequencies.front() = 1000;
  frequencies.back() = 0xffffffff;
  expect_returns(frequencies, "both");
}

TEST_P(EveryPatchedCodec, KeepsAnyNumberOfExceptions) {
  std::mt19937 random(6);
  for (std::uint32_t count = 0; count <= kBlockLength; ++count)
    for (const unsigned width : {4u, 9u, 31u}) {
      std::vector<std::uint32_t> frequencies(kBlockLength, 1);
      for (std::uint32_t i = 0; i < count; ++i) frequencies[i] += (1u << width) + random() % 3;
      std::shuffle(frequencies.begin(), frequencies.end(), random);
      expect_returns(frequencies, std::to_string(count) + " of " + std::to_string(width) + " bits");
    }
}

TEST_P(EveryPatchedCodec, HasNoExceptionsWhereNumbersAreOfOneWidth) {
  const std::vector<std::uint32_t> frequencies(kBlockLength, 200);
  EXPECT_EQ(header(encoded(frequencies)), 8u);
}

TEST_P(EveryPatchedCodec, ChoosesTheWidthOfMostNumbers) {
  std::vector<std::uint32_t> frequencies(kBlockLength, 8);
  for (const std::uint32_t place : {5u, 60u, 100u}) frequencies[place] = 5000;
  EXPECT_EQ(header(encoded(frequencies)) % 64, 3u);
}

INSTANTIATE_TEST_SUITE_P(All, EveryPatchedCodec, testing::Values(&pfd(), &newpfd(), &parapfor()),
                         [](const auto& codec) { return std::string(codec.param->name()); });

TEST(Pfd, LinksExceptionsThatAreTooFarApartThroughNumbersBetween) {
  // A slot of 1 bit can link to a place two further on: from 10 to 15 the chain goes through 12 and 14.
  PatchedNumbers distances{};
  for (std::uint32_t i = 0; i < kBlockLength; ++i) distances[i] = i % 2;
  ByteBuffer stream;
  std::vector<std::uint32_t> frequencies(kBlockLength);
  for (std::uint32_t i = 0; i < kBlockLength; ++i) frequencies[i] = distances[i] + 1;
  frequencies[10] = frequencies[15] = 4000;
  pfd().encode(frequencies, Numbers::kFrequencies, stream);
  const PfdHeader header = pfd_header(load_le<std::uint32_t>(stream.data() + stream.size() - 4));
  EXPECT_EQ(header.width, 1u);
  EXPECT_EQ(header.first, 10u);
  EXPECT_EQ(header.count, 4u);
  EXPECT_EQ(header.value_width, 12u);
}

TEST(NewPfd, HasItsPlacesInAboutAsManyBitsAsTheirChoicesNeed) {
  EXPECT_EQ(newpfd_place_parameter(1), 5u);
  EXPECT_EQ(newpfd_place_parameter(10), 3u);
  EXPECT_EQ(newpfd_place_parameter(42), 1u);
  EXPECT_EQ(newpfd_place_parameter(127), 0u);
}

TEST(ParaPFor, HasTheHeaderOfThePaper) {
  std::vector<std::uint32_t> frequencies(kBlockLength, 4);  // 3: two bits
  frequencies[0] = 1 + 17;                                  // 17 = 100 01
  frequencies[70] = 1 + 4;                                  // 4 = 1 00
  ByteBuffer stream;
  parapfor().encode(frequencies, Numbers::kFrequencies, stream);
  const ParaPForHeader header = parapfor_header(load_le<std::uint32_t>(stream.data() + stream.size() - 4));
  EXPECT_EQ(header.b, 2u);
  EXPECT_EQ(header.i_b, 7u);
  EXPECT_EQ(header.h_b, 3u);
  EXPECT_EQ(header.e_n, 2u);
}

}  // namespace
}  // namespace frond::codec
