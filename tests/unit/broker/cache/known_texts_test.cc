#include "broker/cache/result_cache.h"

#include <gtest/gtest.h>

namespace frond::broker::cache {
namespace {
constexpr GenerationId kFirst{1, 7}, kSecond{2, 8};

TEST(KnownTexts, GiveTheKeyOfATextInItsGenerationOnly) {
  KnownTexts texts(64 << 10);
  EXPECT_EQ(texts.key_of("q=cell", kFirst), nullptr);
  texts.remember("q=cell", kFirst, "key");
  ASSERT_NE(texts.key_of("q=cell", kFirst), nullptr);
  EXPECT_EQ(*texts.key_of("q=cell", kFirst), "key");
  EXPECT_EQ(texts.key_of("q=cells", kFirst), nullptr);
  EXPECT_EQ(texts.key_of("q=cell", kSecond), nullptr);
  texts.remember("q=leaf", kSecond, "other");
  EXPECT_EQ(texts.key_of("q=cell", kFirst), nullptr) << "forgotten with its generation";
  EXPECT_EQ(*texts.key_of("q=leaf", kSecond), "other");
}
TEST(KnownTexts, StayWithinTheirBudget) {
  KnownTexts texts(64 << 10), none(0);
  for (int i = 0; i < 10'000; ++i) texts.remember("q=" + std::to_string(i), kFirst, std::string(100, 'k'));
  EXPECT_LE(texts.bytes(), texts.budget());
  EXPECT_GT(texts.bytes(), texts.budget() / 2);
  EXPECT_NE(texts.key_of("q=9999", kFirst), nullptr);
  texts.remember(std::string(2000, 'q'), kFirst, "key");
  EXPECT_EQ(texts.key_of(std::string(2000, 'q'), kFirst), nullptr) << "too long";
  none.remember("q", kFirst, "key");
  EXPECT_EQ(none.key_of("q", kFirst), nullptr);
}
}  // namespace
}  // namespace frond::broker::cache
