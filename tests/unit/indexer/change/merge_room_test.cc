#include "indexer/change/waiting.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

namespace frond::indexer::change {
namespace {

TEST(MergeRoom, LetsMergesWaitForEachOther) {
  MergeRoom room(100);
  std::optional<MergeRoom::Place> first(room.take(150, {}).value());  // alone it has room
  std::atomic<bool> begun = false;
  std::thread second([&] {
    const auto place = room.take(60, {});
    begun = true;
  });
  std::stop_source stop;
  std::thread third([&] { EXPECT_EQ(room.take(60, stop.get_token()), Code::kUnavailable); });
  stop.request_stop();
  third.join();
  EXPECT_FALSE(begun);
  first.reset();
  second.join();
  EXPECT_TRUE(begun);
  const auto one = room.take(50, {}), other = room.take(50, {});
  EXPECT_TRUE(one && other);
}

}  // namespace
}  // namespace frond::indexer::change
