// Every promise in list_codec.h, checked on every codec in the registry.
#include "common/codec/list_codec.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

using support::SlackBytes;
using Block = std::array<std::uint32_t, kBlockLength>;
constexpr Numbers kKinds[] = {Numbers::kDocIds, Numbers::kFrequencies};

ByteBuffer encoded(const ListCodec& codec, const std::vector<std::uint32_t>& numbers, Numbers kind) {
  ByteBuffer stream;
  codec.encode(numbers, kind, stream);
  return stream;
}
std::uint32_t blocks_of(std::uint32_t count) { return (count + kBlockLength - 1) / kBlockLength; }
std::uint32_t length_of(std::uint32_t count, std::uint32_t block) {
  return std::min(kBlockLength, count - block * kBlockLength);
}
DocId before_of(const std::vector<std::uint32_t>& numbers, std::uint32_t block) {
  return block ? numbers[block * kBlockLength - 1] : kNoDoc;
}

class EveryListCodec : public testing::TestWithParam<const ListCodec*> {
 protected:
  // Decodes every block of a stream of any bytes. Where that succeeds, what is promised of garbage must hold.
  void expect_survives(ByteView stream, std::uint32_t count, Numbers kind, const std::vector<std::uint32_t>& numbers,
                       const std::string& trace) {
    Block out;
    for (std::uint32_t block = 0; block < blocks_of(count); ++block) {
      const DocId before = before_of(numbers, block);
      const auto decoded = GetParam()->decode(stream, count, kind, block, before, out);
      if (!decoded) {
        ASSERT_EQ(decoded, Code::kCorrupt) << trace;
        continue;
      }
      for (std::uint32_t i = 0; i < length_of(count, block); ++i) {
        if (kind == Numbers::kFrequencies) {
          ASSERT_GE(out[i], 1u) << trace << ", block " << block;
        } else if (i > 0 || before != kNoDoc) {
          ASSERT_GT(out[i], i ? out[i - 1] : before) << trace << ", block " << block << ", number " << i;
        }
      }
    }
  }
};

TEST_P(EveryListCodec, ReturnsTheNumbersItWasGiven) {
  for (const Numbers kind : kKinds)
    for (const auto& list : support::awkward_lists(kind, /*seed=*/1)) {
      const auto count = static_cast<std::uint32_t>(list.numbers.size());
      const SlackBytes stream(encoded(*GetParam(), list.numbers, kind));
      std::vector<std::uint32_t> got;
      for (std::uint32_t block = 0; block < blocks_of(count); ++block) {
        Block out;
        ASSERT_TRUE(GetParam()->decode(stream.view(), count, kind, block, before_of(list.numbers, block), out))
            << list.name;
        got.insert(got.end(), out.begin(), out.begin() + length_of(count, block));
      }
      ASSERT_EQ(got, list.numbers) << list.name;
    }
}

TEST_P(EveryListCodec, WritesTheSameBytesAtAnyPlaceAndEndsOnSixteen) {
  for (const Numbers kind : kKinds)
    for (const auto& list : support::awkward_lists(kind, /*seed=*/2)) {
      if (list.numbers.size() > 10'000) continue;  // nothing new, and some encoders are slow
      const ByteBuffer alone = encoded(*GetParam(), list.numbers, kind);
      ASSERT_EQ(alone.size() % 16, 0u) << list.name;
      ByteBuffer behind(48, std::byte{0x77});
      GetParam()->encode(list.numbers, kind, behind);
      ASSERT_TRUE(std::all_of(behind.begin(), behind.begin() + 48, [](std::byte b) { return b == std::byte{0x77}; }));
      ASSERT_TRUE(std::equal(behind.begin() + 48, behind.end(), alone.begin(), alone.end())) << list.name;
    }
}

TEST_P(EveryListCodec, DecodesAStreamAtAnyAlignment) {
  std::mt19937 random(3);
  const auto numbers = support::random_docids(random, 1000, 9);
  const ByteBuffer stream = encoded(*GetParam(), numbers, Numbers::kDocIds);
  for (std::size_t shift = 1; shift < 16; ++shift) {
    ByteBuffer moved(shift);
    moved.insert(moved.end(), stream.begin(), stream.end());
    const SlackBytes bytes(moved);
    Block out;
    ASSERT_TRUE(GetParam()->decode(bytes.view().subspan(shift), 1000, Numbers::kDocIds, 1, numbers[127], out));
    ASSERT_TRUE(std::equal(out.begin(), out.end(), numbers.begin() + 128)) << "shifted by " << shift;
  }
}

TEST_P(EveryListCodec, SurvivesTruncationAtEveryByte) {
  std::mt19937 random(4);
  for (const Numbers kind : kKinds)
    for (const std::uint32_t count : {1u, 127u, 128u, 129u, 300u, 2200u}) {
      const auto numbers = kind == Numbers::kDocIds ? support::random_docids(random, count, 6)
                                                    : support::random_frequencies(random, count, 3);
      const ByteBuffer stream = encoded(*GetParam(), numbers, kind);
      for (std::size_t size = 0; size < stream.size(); ++size)
        expect_survives(SlackBytes(ByteView(stream).first(size)).view(), count, kind, numbers,
                        std::to_string(count) + " numbers, " + std::to_string(size) + " bytes");
    }
}

TEST_P(EveryListCodec, SurvivesChangedBytes) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    for (const Numbers kind : kKinds) {
      const std::uint32_t count = 1 + support::random_below(random, 3000);
      const unsigned width = support::random_below(random, 20);
      const auto numbers = kind == Numbers::kDocIds ? support::random_docids(random, count, width)
                                                    : support::random_frequencies(random, count, width);
      SlackBytes stream(encoded(*GetParam(), numbers, kind));
      for (int round = 0; round < 20; ++round) {
        stream[support::random_below(random, static_cast<std::uint32_t>(stream.view().size()))] =
            static_cast<std::byte>(random());
        expect_survives(stream.view(), static_cast<std::uint32_t>(numbers.size()), kind, numbers,
                        "seed " + std::to_string(seed));
      }
    }
  }
}

TEST_P(EveryListCodec, SurvivesArbitraryBytes) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const std::uint32_t count = 1 + support::random_below(random, 5000);
    ByteBuffer bytes(support::random_below(random, 4000));
    const unsigned mask = seed % 2 ? 0xff : 0x1f;  // plausible widths half of the time
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & mask);
    const std::vector<std::uint32_t> lasts(count, random() / 2);
    for (const Numbers kind : kKinds)
      expect_survives(SlackBytes(bytes).view(), count, kind, lasts, "seed " + std::to_string(seed));
  }
}

TEST_P(EveryListCodec, SaysWhatItIs) {
  const CodecInfo& info = GetParam()->info();
  EXPECT_FALSE(info.name.empty() || info.family.empty() || info.source.empty());
  EXPECT_TRUE(info.docids && info.frequencies) << "the blob needs both";
}

TEST_P(EveryListCodec, IsFoundByNameAndId) {
  EXPECT_EQ(codec_named(GetParam()->name()), GetParam());
  EXPECT_EQ(codec_with_id(GetParam()->id()), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryListCodec, testing::ValuesIn(all_codecs().begin(), all_codecs().end()),
                         [](const auto& codec) {
                           std::string name(codec.param->name());
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(CodecRegistry, HasTheDefaultAndNoNameOrIdTwice) {
  std::set<std::string_view> names;
  std::set<std::uint8_t> ids;
  for (const ListCodec* codec : all_codecs()) {
    EXPECT_TRUE(names.insert(codec->name()).second) << codec->name();
    EXPECT_TRUE(ids.insert(codec->id()).second) << codec->name();
  }
  EXPECT_FALSE(ids.contains(0));
  EXPECT_NE(codec_named(kDefaultCodec), nullptr);
  EXPECT_EQ(codec_named("no such codec"), nullptr);
  EXPECT_EQ(codec_with_id(0), nullptr);
}

}  // namespace
}  // namespace frond::codec
