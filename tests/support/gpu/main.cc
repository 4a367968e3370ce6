// Runs GoogleTest, or exits 77 where there is no device: ctest counts that as skipped, and a device's own run fails on
// it.
#include <gtest/gtest.h>

#include <cstdio>

#include "common/device/runtime.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (frond::device::count_devices() == 0) {
    std::printf("no GPU: skipped\n");
    return 77;
  }
  return RUN_ALL_TESTS();
}
