// Which loop does not turn.
#include "common/base/liveness.h"

#include <gtest/gtest.h>

namespace frond {
namespace {

TEST(Liveness, NamesTheLoopThatDoesNotTurn) {
  const Instant now = SteadyClock().now();
  const Loop loops[] = {{"search", now - std::chrono::seconds(1)}, {"socket", now - std::chrono::seconds(17)}};
  EXPECT_EQ(stalled(loops, now, std::chrono::seconds(20)), "");
  EXPECT_EQ(stalled(loops, now, std::chrono::seconds(15)), "the loop 'socket' has not turned for 17 s");
  EXPECT_EQ(stalled({}, now, std::chrono::seconds(15)), "");
}

}  // namespace
}  // namespace frond
