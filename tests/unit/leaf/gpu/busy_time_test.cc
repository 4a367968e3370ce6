// The time in which a device worked: overlaps count once, in whatever order batches are added.
#include "leaf/gpu/busy_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/collections/random_collection.h"

namespace frond::leaf::gpu {
namespace {

struct Period {
  std::uint64_t began, ended;
};

// The obvious way: a flag for each nanosecond.
double seconds_by_flags(const std::vector<Period>& periods) {
  std::vector<bool> busy;
  for (const Period& one : periods) {
    if (one.ended > busy.size()) busy.resize(one.ended);
    for (std::uint64_t ns = one.began; ns < one.ended; ++ns) busy[ns] = true;
  }
  return 1e-9 * static_cast<double>(std::count(busy.begin(), busy.end(), true));
}

TEST(BusyTime, IsTheSumOfBatchesThatLieApart) {
  BusyTime busy;
  busy.add(100, 150);
  busy.add(200, 203);
  EXPECT_EQ(busy.seconds(), 1e-9 * 53);
}

TEST(BusyTime, CountsTimeInWhichTwoStreamsWorkOnce) {
  BusyTime busy;
  busy.add(100, 200);
  busy.add(150, 250);  // its second half is new
  busy.add(120, 180);  // nothing of it is new
  busy.add(250, 260);  // begins where the others end
  EXPECT_EQ(busy.seconds(), 1e-9 * 160);
}

TEST(BusyTime, AddsNothingForABatchThatDoesNotEndAfterItsBegin) {
  BusyTime busy;
  busy.add(100, 100);
  busy.add(100, 40);
  EXPECT_EQ(busy.seconds(), 0);
}

TEST(BusyTime, EqualsTheObviousWayForBatchesAddedNearlyInOrder) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    SCOPED_TRACE(seed);
    support::Random random(seed);
    std::vector<Period> periods;
    for (std::uint64_t at = 0; periods.size() < 2000; at += random.below(60))
      periods.push_back({at, at + random.below(100)});
    for (std::size_t i = 0; i + 4 < periods.size(); ++i) std::swap(periods[i], periods[i + random.below(4)]);
    BusyTime busy;
    for (const Period& one : periods) busy.add(one.began, one.ended);
    EXPECT_EQ(busy.seconds(), seconds_by_flags(periods));
  }
}

TEST(BusyTime, LeavesOutWhatIsAddedAfterItWasForgotten) {
  BusyTime busy;
  for (std::uint64_t i = 1; i <= BusyTime::kPeriods + 1; ++i) busy.add(100 * i, 100 * i + 10);
  busy.add(20, 60);
  EXPECT_EQ(busy.seconds(), 1e-9 * 10 * (BusyTime::kPeriods + 1));
  busy.add(20, 110);
  EXPECT_EQ(busy.seconds(), 1e-9 * 10 * (BusyTime::kPeriods + 1));
  busy.add(105, 130);
  EXPECT_EQ(busy.seconds(), 1e-9 * (10 * (BusyTime::kPeriods + 1) + 20));
}

}  // namespace
}  // namespace frond::leaf::gpu
