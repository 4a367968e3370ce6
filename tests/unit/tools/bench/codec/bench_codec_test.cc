#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>

#include "tools/bench/codec/codec_timing.h"
#include "tools/bench/codec/integer_sets.h"

namespace frond::tools::bench {
namespace {

using Generator = std::vector<std::uint32_t> (*)(std::mt19937&, std::uint32_t, std::uint32_t);

TEST(SyntheticLists, AreDistinctAscendingAndInRange) {
  for (const Generator generate : {uniform_list, clustered_list})
    for (std::uint32_t seed = 1; seed <= 30; ++seed) {
      std::mt19937 random(seed);
      const std::uint32_t range = 1 + random() % 5000, count = random() % (range + 1);
      const auto list = generate(random, count, range);
      ASSERT_EQ(list.size(), count) << "seed " << seed;
      for (std::size_t i = 0; i < list.size(); ++i) {
        ASSERT_LT(list[i], range) << "seed " << seed;
        if (i > 0) {
          ASSERT_GT(list[i], list[i - 1]) << "seed " << seed;
        }
      }
    }
}

TEST(SyntheticLists, HoldEverythingWhereTheRangeIsFull) {
  for (const Generator generate : {uniform_list, clustered_list}) {
    std::mt19937 random(1);
    const auto list = generate(random, 777, 777);
    for (std::uint32_t i = 0; i < 777; ++i) EXPECT_EQ(list[i], i);
  }
}

TEST(SyntheticLists, AreTheSameForASeed) {
  for (const Generator generate : {uniform_list, clustered_list}) {
    std::mt19937 random(1), again(1), other(2);
    const auto list = generate(random, 1000, 1u << 29);
    EXPECT_EQ(generate(again, 1000, 1u << 29), list);
    EXPECT_NE(generate(other, 1000, 1u << 29), list);
  }
}

TEST(SyntheticLists, MakeSetsOfTheSizeInTheirName) {
  const IntegerSet set = synthetic_set("uniform", 21, 1);
  EXPECT_EQ(set.name, "uniform/2^21");
  ASSERT_EQ(set.lists.size(), 2u);
  EXPECT_EQ(set.lists[1].size(), 1u << 21);
  EXPECT_LT(set.lists[1].back(), 1u << 29);
}

TEST(SyntheticLists, AreUniformOverTheRange) {
  // 2^16 of 2^20 in 16 parts: 4,096 each, with a standard deviation of 60.
  std::mt19937 random(3);
  std::vector<std::uint32_t> parts(16);
  for (const std::uint32_t each : uniform_list(random, 1u << 16, 1u << 20)) ++parts[each >> 16];
  for (const std::uint32_t part : parts) {
    EXPECT_GT(part, 3700u);
    EXPECT_LT(part, 4500u);
  }
}

TEST(CodecTimings, HaveTheSizesOfTheStreams) {
  IntegerSet set{.name = "test", .kind = codec::Numbers::kDocIds, .lists = {}};
  std::mt19937 random(5);
  set.lists = {uniform_list(random, 5000, 1u << 20), clustered_list(random, 300, 1u << 12)};
  const auto timings = time_codecs(set, codec::all_codecs(), 2);
  ASSERT_TRUE(timings);
  ASSERT_EQ(timings->size(), codec::all_codecs().size());
  for (const CodecTiming& timing : *timings) {
    std::size_t bytes = 0;
    for (const auto& list : set.lists) {
      ByteBuffer stream;
      timing.codec->encode(list, set.kind, stream);
      bytes += stream.size();
    }
    EXPECT_EQ(timing.bits, static_cast<double>(bytes) * 8 / 5300) << timing.codec->name();
    EXPECT_GT(timing.decode.min, 0) << timing.codec->name();
    EXPECT_LE(timing.decode.min, timing.decode.median) << timing.codec->name();
    EXPECT_LE(timing.decode.median, timing.decode.max) << timing.codec->name();
  }
}

TEST(CodecReports, LeaveOutOfTheJsonWhatWasNotMeasured) {
  const CodecTiming timing{codec::codec_named("rice"), 5.5, {2, 1, 3}, {4, 4, 4}, {}};
  const CodecReport report = report_of(std::span(&timing, 1));
  const auto json = json_of(report);
  EXPECT_EQ(json[0]["codec"], "rice");
  EXPECT_EQ(json[0]["encode_m"]["most"], 3);
  EXPECT_FALSE(json[0].contains("decode_without_sum_g"));
  const Table table = table_of(report);
  ASSERT_EQ(table.rows[0].size(), table.columns.size());
  EXPECT_EQ(*table.rows[0].back().text(), "-");
  EXPECT_EQ(table_of_codecs().rows.size(), codec::all_codecs().size());
}

}  // namespace
}  // namespace frond::tools::bench
