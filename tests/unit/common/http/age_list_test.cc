// Which session has been in a list longest.
#include "common/http/server/clients.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

namespace frond::http {
namespace {
using std::chrono::seconds;

// Numbers stand in for sessions: lists do not use what the pointers refer to.
Session* number(std::uintptr_t n) { return std::bit_cast<Session*>(n); }
AgeLink::Time at(int second) { return AgeLink::Time() + seconds(second); }

std::vector<Session*> all(const AgeList& list) {
  std::vector<Session*> found;
  list.for_each([&](Session* session) { found.push_back(session); });
  return found;
}

TEST(AnAgeList, KnowsWhoHasBeenThereLongest) {
  AgeList list;
  EXPECT_EQ(list.oldest(at(0)), nullptr);
  AgeLink one(number(1)), two(number(2)), three(number(3));
  list.enter(one, at(1));
  list.enter(two, at(2));
  list.enter(three, at(3));
  EXPECT_EQ(list.oldest(at(3)), number(1));
  EXPECT_EQ(list.oldest(at(3), seconds(2)), number(1));
  EXPECT_EQ(list.oldest(at(3), seconds(3)), nullptr) << "nobody for so long";
  list.enter(one, at(4));
  EXPECT_EQ(all(list), (std::vector<Session*>{number(2), number(3), number(1)}));
  two.leave();
  two.leave();
  EXPECT_FALSE(two.listed());
  EXPECT_EQ(all(list), (std::vector<Session*>{number(3), number(1)}));
}
TEST(AnAgeList, LosesALinkThatEntersAnotherOrEnds) {
  AgeList list, other;
  AgeLink moves(number(1));
  {
    AgeLink ends(number(2));
    list.enter(ends, at(1));
    list.enter(moves, at(1));
  }
  EXPECT_EQ(all(list), std::vector<Session*>{number(1)});
  other.enter(moves, at(2));
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(all(other), std::vector<Session*>{number(1)});
}
TEST(AnAgeList, MayEndBeforeItsLinksAndLoseThoseThatAreVisited) {
  AgeLink one(number(1)), two(number(2));
  {
    AgeList list;
    list.enter(one, at(1));
    list.enter(two, at(1));
    list.for_each([&](Session* session) { (session == number(1) ? one : two).leave(); });
    EXPECT_TRUE(list.empty());
    list.enter(two, at(2));
  }
  EXPECT_FALSE(two.listed());
}

}  // namespace
}  // namespace frond::http
