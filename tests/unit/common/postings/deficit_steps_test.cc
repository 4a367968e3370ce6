// Deficits in a byte: rounded to the safe side, by little.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "common/postings/long_form.h"
#include "common/postings/short_form.h"

namespace frond::postings {
namespace {

TEST(DeficitByte, RoundsDownAndLosesLittle) {
  for (std::uint32_t deficit = 0; deficit < 0x7f80; ++deficit) {
    const auto packed = static_cast<scoring::PackedDeficit>(deficit);
    const scoring::PackedDeficit got = deficit_from_byte(deficit_to_byte(packed));
    ASSERT_LE(got, packed);
    const float value = scoring::unpack_deficit(packed);
    if (value >= 0.005f && value < 250) {
      ASSERT_GT(scoring::unpack_deficit(got), value * 0.93f);
    }
  }
}

TEST(DeficitScale, RoundsDownAndUpByLessThanAStepAndReachesTheGreatest) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto least = static_cast<scoring::PackedDeficit>(random() % 0x4400);
    const auto greatest = static_cast<scoring::PackedDeficit>(least + (random() % 0x2000 >> random() % 13));
    const DeficitScale scale = deficit_scale(least, greatest);
    ASSERT_TRUE(scale.sound());
    for (std::uint32_t packed = least; packed <= greatest; ++packed) {
      const auto deficit = static_cast<scoring::PackedDeficit>(packed);
      const std::uint8_t down = steps_down(scale, deficit), up = steps_up(scale, deficit);
      ASSERT_LE(scale.at(down), packed);
      ASSERT_GT(scale.at(down) + (1u << scale.shift), packed);
      ASSERT_NE(up, kNoSteps);
      ASSERT_GE(scale.at(up), packed);
      ASSERT_LT(scale.at(up), packed + (1u << scale.shift));
    }
    EXPECT_EQ(scale.at(steps_down(scale, least)), least);
  }
}

TEST(DeficitScale, StaysFiniteHoweverFarDeficitsAreApart) {
  const DeficitScale scale = deficit_scale(0, DeficitScale::kMaxDeficit);
  EXPECT_TRUE(scale.sound());
  EXPECT_LE(scale.at(steps_down(scale, DeficitScale::kMaxDeficit)), DeficitScale::kMaxDeficit);
  EXPECT_EQ(steps_up(scale, DeficitScale::kMaxDeficit), kNoSteps);
}

}  // namespace
}  // namespace frond::postings
