#include "common/codec/codec_choice.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

Candidates every_codec() {
  Candidates found;
  for (const ListCodec* codec : all_codecs())
    if (codec->info().docids) found.push_back(codec);
  return found;
}

ByteBuffer encoded(const ListCodec& codec, const std::vector<std::uint32_t>& numbers) {
  ByteBuffer stream;
  codec.encode(numbers, Numbers::kDocIds, stream);
  return stream;
}

TEST(EncodeSmallest, WritesTheSmallestStreamOfAllBehindWhatIsThere) {
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto docids = support::random_docids(random, 1 + random() % 1000, random() % 12);
    ByteBuffer out(32, std::byte{7});
    const ListCodec& chosen = encode_smallest(every_codec(), docids, Numbers::kDocIds, out);
    const ByteBuffer alone = encoded(chosen, docids);
    EXPECT_EQ(ByteBuffer(out.begin() + 32, out.end()), alone);
    EXPECT_EQ(ByteBuffer(out.begin(), out.begin() + 32), ByteBuffer(32, std::byte{7}));
    bool before_chosen = true;
    for (const ListCodec* codec : every_codec()) {
      before_chosen &= codec != &chosen;
      const std::size_t size = encoded(*codec, docids).size();
      EXPECT_GE(size, alone.size() + (before_chosen ? 1 : 0));
    }
  }
}

TEST(CodecChoice, NamedAutoHasTheDefaultCodecAmongItsCandidates) {
  const auto choice = codec_choice_named("auto");
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->name, "auto");
  EXPECT_EQ(choice->docids.at(0), codec_named(kDefaultCodec));
  EXPECT_EQ(choice->frequencies.at(0), codec_named(kDefaultCodec));
}

TEST(CodecChoice, IsNamedByEveryCodecOfTheRegistry) {
  for (const ListCodec* codec : all_codecs()) {
    const auto choice = codec_choice_named(codec->name());
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->name, codec->name());
    EXPECT_EQ(choice->docids, Candidates{codec->info().docids ? codec : codec_named(kDefaultCodec)});
    EXPECT_EQ(choice->frequencies, Candidates{codec->info().frequencies ? codec : codec_named(kDefaultCodec)});
  }
}

TEST(CodecChoice, IsNamedByTwoCodecs) {
  for (const ListCodec* docids : all_codecs())
    for (const ListCodec* frequencies : all_codecs()) {
      const auto choice = codec_choice_named(std::string(docids->name()) + "," + std::string(frequencies->name()));
      ASSERT_EQ(choice.has_value(), docids->info().docids && frequencies->info().frequencies);
      if (!choice) continue;
      EXPECT_EQ(choice->docids, Candidates{docids});
      EXPECT_EQ(choice->frequencies, Candidates{frequencies});
    }
}

TEST(CodecChoice, RefusesNamesThatAreNone) {
  for (const char* name : {"", "x", "simd-bp128,", ",simd-bp128", "simd-bp128,x", "auto,auto", "simd-bp128,auto"}) {
    const auto choice = codec_choice_named(name);
    ASSERT_EQ(choice, Code::kInvalid) << name;
    EXPECT_EQ(choice.error().message().find("'" + std::string(name) + "' is none of auto|simd-bp128"), 0u);
  }
}

TEST(CodecChoice, OfOneCodecPacksBothKindsWithIt) {
  const CodecChoice choice = *codec_named(kDefaultCodec);
  EXPECT_EQ(choice.docids, Candidates{codec_named(kDefaultCodec)});
  EXPECT_EQ(choice.frequencies, choice.docids);
}

}  // namespace
}  // namespace frond::codec
