// main() of all tests that need a device (gpu_tests.cmake). Exits with 77 if there is none.
#include <gtest/gtest.h>

#include <cstdio>

#include "common/device/runtime.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (frond::device::count_devices() == 0) {
    std::printf("no GPU found: skipped\n");
    return 77;
  }
  return RUN_ALL_TESTS();
}
