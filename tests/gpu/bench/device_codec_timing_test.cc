// `frond bench codec --processor gpu` checks what it times, and has a rate for each way of decoding.
#include "tools/bench/codec/codec_timing.h"

#include <gtest/gtest.h>

#include "tests/support/posting_lists.h"

namespace frond::tools::bench {
namespace {

std::vector<const codec::ListCodec*> some_codecs() {
  return {codec::codec_named("gpu-bp128"), codec::codec_named("gpu-vbyte128"), codec::codec_named("lrc")};
}
void expect_rate(const Spread& rate) {
  EXPECT_GT(rate.min, 0);
  EXPECT_LE(rate.min, rate.median);
  EXPECT_LE(rate.median, rate.max);
}

TEST(DeviceCodecTimings, HaveTheSizesOfTheStreamsAndRates) {
  std::mt19937 random(81);
  IntegerSet set{.name = "test", .kind = codec::Numbers::kDocIds, .lists = {}};
  for (const std::uint32_t count : {700u, 129u}) set.lists.push_back(support::random_docids(random, count, 9));
  const auto timings = time_codecs_on_device(set, some_codecs(), 2, /*integers=*/3000);
  ASSERT_TRUE(timings) << timings.error().message();
  ASSERT_EQ(timings->size(), 3u);
  for (const DeviceCodecTiming& timing : *timings) {
    ByteBuffer streams;
    for (const auto& list : set.lists) timing.codec->encode(list, set.kind, streams);
    EXPECT_EQ(timing.bits, static_cast<double>(streams.size()) * 8 / 829);
    for (const Spread* rate : {&timing.alone, &timing.row, &timing.row_gaps, &timing.batch, &timing.batch_gaps})
      expect_rate(*rate);
  }
}

TEST(DeviceCodecTimings, OfFrequenciesHaveNoSums) {
  std::mt19937 random(82);
  IntegerSet set{.name = "test", .kind = codec::Numbers::kFrequencies, .lists = {}};
  set.lists.push_back(support::random_frequencies(random, 500, 4));
  const auto timings = time_codecs_on_device(set, some_codecs(), 1, /*integers=*/1000);
  ASSERT_TRUE(timings) << timings.error().message();
  for (const DeviceCodecTiming& timing : *timings) {
    expect_rate(timing.batch);
    EXPECT_EQ(timing.batch_gaps.median, 0);
  }
}

TEST(DeviceCodecTimings, NameTheDevice) { EXPECT_FALSE(describe_device()->empty()); }

}  // namespace
}  // namespace frond::tools::bench
