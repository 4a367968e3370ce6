#include "broker/http/admission.h"

#include <gtest/gtest.h>

#include <string>

#include "broker/http/known_costs.h"

namespace frond::broker::http {
namespace {
TEST(KnownCosts, TellWhichPagesOfSourcesAreLarge) {
  KnownCosts known;
  EXPECT_FALSE(known.has_large_sources(0, 1000)) << "nothing is known";
  known.learn_sources(0, 10, 10 * 100'000);
  EXPECT_TRUE(known.has_large_sources(0, 10));
  EXPECT_FALSE(known.has_large_sources(0, 5));
  EXPECT_FALSE(known.has_large_sources(1, 10)) << "another collection";
  known.learn_sources(0, 0, 0);
  for (int i = 0; i < 50; ++i) known.learn_sources(0, 10, 10 * 1'000);
  EXPECT_FALSE(known.has_large_sources(0, 10)) << "it follows what is shown";
}
constexpr Admission::Kind kSingle{}, kLine{.batch = true}, kCostly{.costly = true},
    kCostlyLine{.batch = true, .costly = true};

TEST(Admission, HasALimitForAllAndOneForEachKind) {
  Admission admission({.all = 4, .batch = 2, .costly = 1});
  EXPECT_TRUE(admission.try_begin(kLine));
  EXPECT_TRUE(admission.try_begin(kCostlyLine));
  EXPECT_FALSE(admission.try_begin(kLine));
  EXPECT_FALSE(admission.try_begin(kCostly));
  EXPECT_TRUE(admission.try_begin(kSingle));
  EXPECT_TRUE(admission.try_begin(kSingle));
  EXPECT_FALSE(admission.try_begin(kSingle));
  EXPECT_EQ(admission.all(), 4u);
  EXPECT_EQ(admission.batch(), 2u);
  EXPECT_EQ(admission.costly(), 1u);
  admission.end(kCostlyLine);
  EXPECT_TRUE(admission.try_begin(kCostly));
}
TEST(Admission, GivesAPlaceToWhoWaitsBeforeWhoComesLater) {
  Admission admission({.all = 1, .batch = 1, .costly = 1});
  std::string begun;
  EXPECT_TRUE(admission.try_begin(kSingle));
  admission.wait(kLine, [&] { begun += "a"; });
  const auto second = admission.wait(kLine, [&] { begun += "b"; });
  admission.wait(kLine, [&] { begun += "c"; });
  admission.leave(*second);
  admission.end(kSingle);
  EXPECT_EQ(begun, "a");
  EXPECT_FALSE(admission.try_begin(kSingle));
  admission.end(kLine);
  EXPECT_EQ(begun, "ac");
  admission.end(kLine);
  EXPECT_TRUE(admission.try_begin(kSingle));
}
TEST(Admission, LetsOthersPassWhoNeedAnotherPlace) {
  Admission admission({.all = 3, .batch = 2, .costly = 1});
  std::string begun;
  EXPECT_TRUE(admission.try_begin(kCostly));
  EXPECT_TRUE(admission.try_begin(kLine));
  EXPECT_TRUE(admission.try_begin(kSingle));
  admission.wait(kCostlyLine, [&] { begun += "costly "; });
  admission.wait(kLine, [&] { begun += "cheap "; });
  admission.end(kSingle);
  EXPECT_EQ(begun, "cheap ");
  admission.end(kCostly);
  EXPECT_EQ(begun, "cheap ") << "the lines' places are taken";
  admission.end(kLine);
  EXPECT_EQ(begun, "cheap costly ");
}
TEST(Admission, GivesAClientAShareOfThePlacesForCostlySearches) {
  Admission admission({.all = 10, .batch = 10, .costly = 4, .costly_per_client = 2, .waiting = 2});
  const auto of = [](std::uint8_t client) { return Admission::Kind{.costly = true, .client = {client}}; };
  std::string begun;
  const auto wait = [&](std::uint8_t client) {
    return admission.wait(of(client), [&begun, client] { begun += std::to_string(int{client}); });
  };
  EXPECT_FALSE(wait(1));
  EXPECT_FALSE(wait(1));
  EXPECT_TRUE(wait(1)) << "it has its share";
  const auto leaves = wait(1);
  EXPECT_EQ(wait(1), Admission::kRefused);
  admission.leave(*leaves);
  EXPECT_NE(wait(1), Admission::kRefused);
  EXPECT_FALSE(wait(2)) << "another client has a place at once";
  EXPECT_FALSE(wait(2));
  EXPECT_TRUE(wait(3)) << "all places are taken";
  EXPECT_TRUE(admission.try_begin(kSingle)) << "cheap ones are not concerned";
  admission.end(of(1));
  EXPECT_EQ(begun, "3") << "it has none, and so comes before who waits longer";
  admission.end(of(2));
  EXPECT_EQ(begun, "31");
  admission.end(of(1));
  EXPECT_EQ(begun, "311");
  EXPECT_EQ(admission.waiting(), 0u);
}
constexpr Admission::Kind of_client(std::uint8_t client, std::uint32_t weight = 1) {
  return {.client = {client}, .weight = weight};
}
TEST(Admission, GivesAClientThatComesTheNextFreePlaces) {
  Admission admission({.all = 8});
  std::string begun;
  const auto wait = [&](const Admission::Kind& kind) {
    return admission.wait(kind, [&begun, kind] { begun += std::to_string(int{kind.client[0]}); });
  };
  while (admission.try_begin(of_client(1))) {
  }
  EXPECT_EQ(admission.all(), 8u) << "a client alone may have all";
  EXPECT_EQ(wait(of_client(1)), Admission::kRefused);
  for (int i = 0; i < 4; ++i) EXPECT_NE(wait(of_client(2)).value_or(0), Admission::kRefused) << i;
  EXPECT_EQ(wait(of_client(2)), Admission::kRefused) << "that is its share";
  EXPECT_EQ(admission.taken().clients, 2u);
  admission.end(of_client(1));
  EXPECT_EQ(begun, "2");
  EXPECT_FALSE(admission.try_begin(of_client(1)));
  for (int i = 0; i < 3; ++i) admission.end(of_client(1));
  EXPECT_EQ(begun, "2222");
  admission.end(of_client(2));
  EXPECT_TRUE(admission.try_begin(of_client(1))) << "nobody waits";
  for (int i = 0; i < 5; ++i) admission.end(of_client(1));
  for (int i = 0; i < 3; ++i) admission.end(of_client(2));
  EXPECT_EQ(admission.taken().clients, 0u);
}
TEST(Admission, SharesPlacesByWeights) {
  Admission admission({.all = 40});
  int light = 0, heavy = 0;
  const Admission::Kind one = of_client(1), three = of_client(2, 3);
  // Both ask for more than they get, whenever something has ended.
  const auto ask = [&](const Admission::Kind& kind, int& running) {
    if (admission.try_begin(kind)) ++running;
    const auto turn = admission.wait(kind, [&] { ++running; });
    if (!turn) ++running;
  };
  for (int i = 0; i < 100; ++i) ask(one, light);
  for (int i = 0; i < 100; ++i) ask(three, heavy);
  for (int i = 0; i < 1000; ++i) {
    int& running = i % 2 == 0 && light > 0 ? light : heavy > 0 ? heavy : light;
    admission.end(&running == &light ? one : three);
    --running;
    ask(one, light);
    ask(three, heavy);
  }
  EXPECT_NEAR(light, 10, 2);
  EXPECT_NEAR(heavy, 30, 2);
}
TEST(Admission, LetsOnlySomeWaitHoweverManyClientsThereAre) {
  Admission admission({.all = 2, .waiting = 5});
  while (admission.try_begin(of_client(200))) {
  }
  int waiting = 0;
  for (std::uint8_t client = 0; client < 100; ++client)
    waiting += admission.wait(of_client(client), [] {}) != Admission::kRefused;
  EXPECT_EQ(waiting, 5);
  EXPECT_EQ(admission.taken().clients, 6u) << "who is refused is not remembered";
}
TEST(Admission, GivesLinesOfClientsTheirTurns) {
  Admission admission({.all = 20, .batch = 4});
  std::string begun;
  const auto wait = [&](std::uint8_t client) {
    const Admission::Kind kind{.batch = true, .client = {client}};
    admission.wait(kind, [&begun, client] { begun += std::to_string(int{client}); });
  };
  for (int i = 0; i < 8; ++i) wait(1);
  for (int i = 0; i < 4; ++i) wait(2);
  EXPECT_EQ(begun, "") << "four have begun without waiting";
  for (int i = 0; i < 4; ++i) admission.end({.batch = true, .client = {1}});
  EXPECT_EQ(begun, "2211") << "until both have as many";
}
TEST(Admission, GoesOnWithThoseWhoEndAtOnce) {
  Admission admission({.all = 1, .batch = 1, .costly = 1});
  EXPECT_TRUE(admission.try_begin(kLine));
  int begun = 0;
  std::function<void()> begin = [&] {
    if (++begun < 10'000) admission.wait(kLine, begin);
    admission.end(kLine);
  };
  admission.wait(kLine, begin);
  admission.end(kLine);
  EXPECT_EQ(begun, 10'000);
  EXPECT_EQ(admission.all(), 0u);
}
}  // namespace
}  // namespace frond::broker::http
