// Shares of calls in the lines of devices: each runs once, on its device or on one that may take it, and no device runs
// more at a time than it can.
#include "leaf/gpu/device_lines.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <semaphore>
#include <thread>

namespace frond::leaf::gpu {
namespace {

struct Call : LinedCall {
  Share& add(std::size_t device, std::int64_t work = 1, bool stays = false) {
    Share& share = shares.emplace_back();
    share.call = this;
    share.device = device;
    share.work = work;
    share.stays = stays;
    all.push_back(&share);
    return share;
  }
  std::deque<Share> shares;
  std::vector<Share*> all;
};

TEST(DeviceLines, RunASingleShareOnItsCallersThread) {
  std::optional<std::thread::id> by;
  DeviceLines lines({1, 1}, [&](Share&, std::size_t device) {
    EXPECT_EQ(device, 1u);
    by = std::this_thread::get_id();
    return std::vector<Share*>();
  });
  Call call;
  call.add(1, 5);
  lines.run(call, call.all);
  EXPECT_EQ(by, std::this_thread::get_id());
  EXPECT_EQ(lines.counters(1).shares, 1u);
  EXPECT_EQ(lines.counters(0).shares, 0u);
  EXPECT_EQ(lines.load(1), 0);
}

TEST(DeviceLines, LetADeviceWithoutWorkTakeWhatWaitsForAnother) {
  std::counting_semaphore<> go(0), began(0);
  DeviceLines lines({1, 1}, [&](Share& share, std::size_t) {
    began.release();
    if (share.work == 100) go.acquire();
    return std::vector<Share*>();
  });
  Call slow, fixed, movable;
  slow.add(0, 100);
  std::thread first([&] { lines.run(slow, slow.all); });
  began.acquire();
  EXPECT_EQ(lines.load(0), 100);
  fixed.add(0, 1, true);
  std::thread second([&] { lines.run(fixed, fixed.all); });
  while (lines.counters(0).waiting == 0) std::this_thread::yield();
  movable.add(0, 1);
  lines.run(movable, movable.all);  // by device 1, while device 0 is held up
  EXPECT_EQ(lines.counters(1).stolen, 1u);
  EXPECT_EQ(lines.counters(0).waiting, 1u) << "what stays";
  go.release();
  first.join();
  second.join();
  EXPECT_EQ(lines.counters(0).shares, 2u);
  EXPECT_EQ(lines.counters(0).stolen + lines.counters(0).waiting, 0u);
}

TEST(DeviceLines, BeginAheadWhatNoDeviceIsFreeForUpToALimit) {
  std::counting_semaphore<> go(0), began(0);
  const auto run = [&](Share&, std::size_t) {
    began.release();
    go.acquire();
    return std::vector<Share*>();
  };
  DeviceLines lines({1, 1}, run, /*ahead=*/1);
  std::deque<Call> calls(4);
  std::vector<std::thread> threads;
  const auto put = [&](Call& call) {
    call.add(0);
    threads.emplace_back([&lines, &call] { lines.run(call, call.all); });
  };
  for (std::size_t i = 0; i < 3; ++i) {
    put(calls[i]);
    began.acquire();
  }
  EXPECT_EQ(lines.counters(1).stolen, 1u) << "by a free device, before one is begun ahead";
  EXPECT_EQ(lines.counters(0).shares, 2u);
  put(calls[3]);
  while (lines.counters(0).waiting == 0) std::this_thread::yield();
  EXPECT_FALSE(began.try_acquire()) << "one was begun ahead already";
  go.release(4);
  for (std::thread& thread : threads) thread.join();
}

TEST(DeviceLines, RunEveryShareOnceAndNotTooManyAtATime) {
  constexpr std::uint64_t kSeed = 31;
  constexpr std::size_t kDevices = 3;
  const std::vector<std::uint32_t> slots{1, 2, 3};
  std::atomic<std::uint32_t> running[kDevices] = {};
  std::atomic<std::uint64_t> runs{0}, more_runs{0}, wrong{0};
  const auto run = [&](Share& share, std::size_t device) {
    if (++running[device] > slots[device]) ++wrong;
    if (share.stays && device != share.device) ++wrong;
    ++runs;
    std::vector<Share*> more;
    if (share.tries == 1 && share.work % 7 == 0) {  // this device does not answer; its own calls have room for one more
      auto& call = static_cast<Call&>(*share.call);
      Share& again = call.shares.front();
      again =
          Share{.call = &call, .device = (device + 1) % kDevices, .places = {}, .work = 1, .stays = true, .tries = 2};
      more.push_back(&again);
      ++more_runs;
    }
    std::this_thread::yield();
    --running[device];
    return more;
  };
  std::uint64_t put = 0;
  {
    DeviceLines lines(slots, run);
    std::vector<std::thread> callers;
    std::atomic<std::uint64_t> all{0};
    for (std::uint64_t c = 0; c < 5; ++c)
      callers.emplace_back([&, c] {
        std::mt19937_64 random(kSeed + c);
        for (int i = 0; i < 150; ++i) {
          Call call;
          call.shares.emplace_back();  // for the one that comes again
          bool comes_again = false;
          for (std::uint64_t n = 1 + random() % 5; n > 0; --n) {
            auto work = static_cast<std::int64_t>(random() % 50);
            if (work % 7 == 0 && std::exchange(comes_again, true)) ++work;
            call.add(random() % kDevices, work, random() % 4 == 0);
          }
          all += call.all.size();
          lines.run(call, call.all);
          EXPECT_EQ(call.left, 0u);
        }
      });
    for (auto& caller : callers) caller.join();
    put = all;
    std::uint64_t counted = 0;
    for (std::size_t device = 0; device < kDevices; ++device) {
      counted += lines.counters(device).shares;
      EXPECT_EQ(lines.counters(device).waiting, 0u);
      EXPECT_EQ(lines.load(device), 0);
    }
    EXPECT_EQ(counted, runs);
  }
  EXPECT_EQ(runs, put + more_runs) << "seed " << kSeed;
  EXPECT_GT(more_runs, 0u);
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace frond::leaf::gpu
