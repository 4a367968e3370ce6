#include "broker/http/admission/admission.h"

#include <gtest/gtest.h>

#include <string>

#include "broker/http/admission/known_costs.h"

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
  Admission admission({.all = 32});
  std::string begun;
  const auto wait = [&](const Admission::Kind& kind) {
    return admission.wait(kind, [&begun, kind] { begun += std::to_string(int{kind.client[0]}); });
  };
  const auto all_that_may_wait = [&](const Admission::Kind& kind) {
    int count = 0;
    while (wait(kind) != Admission::kRefused) ++count;
    return count;
  };
  while (admission.try_begin(of_client(1))) {
  }
  EXPECT_EQ(admission.all(), 32u) << "a client alone may have all";
  EXPECT_EQ(wait(of_client(1)), Admission::kRefused);
  EXPECT_EQ(all_that_may_wait(of_client(2)), 4) << "half of the eight that wait at most";
  EXPECT_EQ(all_that_may_wait(of_client(3)), 3) << "who comes later finds room";
  EXPECT_EQ(admission.taken().clients, 3u);
  admission.end(of_client(1));
  EXPECT_EQ(begun, "2");
  EXPECT_FALSE(admission.try_begin(of_client(1)));
  for (int i = 0; i < 6; ++i) admission.end(of_client(1));
  EXPECT_EQ(begun, "2323232");
  for (int i = 0; i < 4; ++i) admission.end(of_client(2));
  EXPECT_TRUE(admission.try_begin(of_client(1))) << "nobody waits";
  for (int i = 0; i < 26; ++i) admission.end(of_client(1));
  for (int i = 0; i < 3; ++i) admission.end(of_client(3));
  EXPECT_EQ(admission.taken().clients, 0u);
}
TEST(Admission, LetsAClientThatHasItsShareNotWait) {
  Admission admission({.all = 32});
  while (admission.all() < 16) ASSERT_TRUE(admission.try_begin(of_client(2)));
  while (admission.try_begin(of_client(1))) {
  }
  EXPECT_EQ(admission.wait(of_client(2), [] {}), Admission::kRefused);
  admission.end(of_client(2));
  while (admission.try_begin(of_client(1))) {
  }
  EXPECT_NE(admission.wait(of_client(2), [] {}), Admission::kRefused);
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
  for (const auto& [places, expected] : {std::pair(200, 5), {12, 3}, {2, 1}}) {
    Admission admission({.all = static_cast<std::size_t>(places), .waiting = 5});
    while (admission.try_begin(of_client(200))) {
    }
    int waiting = 0;
    for (std::uint8_t client = 0; client < 100; ++client)
      waiting += admission.wait(of_client(client), [] {}) != Admission::kRefused;
    EXPECT_EQ(waiting, expected);
    EXPECT_EQ(admission.taken().clients, static_cast<std::size_t>(expected) + 1) << "who is refused is not remembered";
  }
}
TEST(Admission, KnowsTheWeightThatAClientWasLastSaidToHave) {
  Admission admission({.all = 80});
  const auto may_wait = [&](std::uint32_t weight) {
    const auto turn = admission.wait(of_client(2, weight), [] {});
    if (turn != Admission::kRefused) admission.leave(*turn);
    return turn != Admission::kRefused;
  };
  while (admission.all() < 50) ASSERT_TRUE(admission.try_begin(of_client(2)));
  while (admission.try_begin(of_client(1))) {
  }
  EXPECT_FALSE(may_wait(1)) << "it has 50 of 80";
  EXPECT_TRUE(may_wait(3)) << "of which 60 are its share";
  EXPECT_FALSE(may_wait(1));
  for (int i = 0; i < 15; ++i) admission.end(of_client(2));
  while (admission.try_begin(of_client(1))) {
  }
  EXPECT_TRUE(may_wait(1)) << "it has 35";
}
TEST(Admission, CountsACostlySearchAsThePlacesForEachOfThem) {
  Admission admission({.all = 8, .batch = 8, .costly = 2});
  const auto line_of = [](std::uint8_t client) { return Admission::Kind{.batch = true, .client = {client}}; };
  ASSERT_TRUE(admission.try_begin({.costly = true, .client = {1}}));
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(admission.try_begin(line_of(2)));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(admission.try_begin(of_client(3)));
  std::string begun;
  for (const std::uint8_t client : {1, 2})
    admission.wait(line_of(client), [&begun, client] { begun += std::to_string(int{client}); });
  admission.end(of_client(3));
  EXPECT_EQ(begun, "1") << "both have four of eight places, and it came first";
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
