// Streams of every codec that was ever published must stay readable, and today's encoder must write them. Each codec
// has two files, <name>-docids.hex and <name>-frequencies.hex, of the numbers that the functions here tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "common/codec/list_codec.h"
#include "tests/support/golden.h"
#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

constexpr std::uint32_t kCount = 1100;  // one long block, several short ones, and a rest

std::vector<std::uint32_t> numbers(Numbers kind) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < kCount; ++i)
    all.push_back(kind == Numbers::kDocIds ? i * 7 + i * i % 5 : 1 + i % 4 + (i % 50 == 49 ? 100 : 0));
  return all;
}
std::string file_of(const ListCodec& codec, Numbers kind) {
  return "tests/golden/list_codec/" + std::string(codec.name()) +
         (kind == Numbers::kDocIds ? "-docids.hex" : "-frequencies.hex");
}

class GoldenListCodec : public testing::TestWithParam<const ListCodec*> {};

TEST_P(GoldenListCodec, IsStillReadable) {
  for (const Numbers kind : {Numbers::kDocIds, Numbers::kFrequencies}) {
    const support::SlackBytes stream(support::read_hex(file_of(*GetParam(), kind)));
    const auto expected = numbers(kind);
    for (std::uint32_t first = 0; first < kCount; first += kBlockLength) {
      std::array<std::uint32_t, kBlockLength> out;
      const DocId before = first ? expected[first - 1] : kNoDoc;
      ASSERT_TRUE(GetParam()->decode(stream.view(), kCount, kind, first / kBlockLength, before, out));
      ASSERT_TRUE(
          std::equal(out.begin(), out.begin() + std::min(kBlockLength, kCount - first), expected.begin() + first))
          << file_of(*GetParam(), kind) << ", from number " << first;
    }
  }
}

TEST_P(GoldenListCodec, IsWhatTheEncoderWrites) {
  for (const Numbers kind : {Numbers::kDocIds, Numbers::kFrequencies}) {
    ByteBuffer stream;
    GetParam()->encode(numbers(kind), kind, stream);
    EXPECT_EQ(support::to_hex(stream), support::to_hex(support::read_hex(file_of(*GetParam(), kind))))
        << file_of(*GetParam(), kind);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, GoldenListCodec, testing::ValuesIn(all_codecs().begin(), all_codecs().end()),
                         [](const auto& codec) {
                           std::string name(codec.param->name());
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace frond::codec
