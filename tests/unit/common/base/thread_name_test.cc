// What a thread asks of the system's scheduler, it has; and so have the threads that it starts.
#include "common/base/threads/thread_name.h"

#include <gtest/gtest.h>

#include <thread>

namespace frond {
namespace {

struct Asked {
  std::uint64_t slice_ns = 0;  // 0: the system is older than Linux 6.12
  int nice = 0;
};
Asked of_this_thread() {
  SchedulingAttributes attributes;
  EXPECT_EQ(syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0), 0);
  return {attributes.runtime_ns, attributes.nice};
}

TEST(AThread, HasTheTimeSliceThatItAskedFor) {
  std::thread([] {
    const Asked before = of_this_thread();
    set_time_slice(kShortSliceNs);
    const Asked own = of_this_thread();
    Asked started;
    std::thread([&] { started = of_this_thread(); }).join();
    EXPECT_EQ(own.nice, before.nice);
    if (before.slice_ns == 0) GTEST_SKIP() << "this system has no slices";
    EXPECT_EQ(own.slice_ns, kShortSliceNs);
    EXPECT_EQ(started.slice_ns, kShortSliceNs);
  }).join();
}

TEST(AThread, ThatYieldsIsNiceAndHasLongSlices) {
  std::thread([] {
    set_time_slice(kShortSliceNs);
    const Asked before = of_this_thread();
    const int nice = before.nice < 14 ? before.nice + 5 : 19;
    yield_to_others(nice);
    EXPECT_EQ(of_this_thread().nice, nice);
    EXPECT_EQ(of_this_thread().slice_ns, before.slice_ns == 0 ? 0 : kLongSliceNs);
  }).join();
}

}  // namespace
}  // namespace frond
