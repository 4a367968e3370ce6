#pragma once
// The ways in which a device fails at its n-th operation, for tests that try one operation after the other.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "common/device/patience.h"
#include "tests/support/cuda_on_host/fibers.h"

namespace cuda_on_host {

struct Failure {
  const char* name;
  void (*begin)(std::uint64_t operations);
  bool (*happened)();
  std::uint64_t stride;                // between the operations that are tried: each takes the patience if it hangs
  std::chrono::milliseconds patience;  // so long that a busy machine's device is not taken for one that hangs
  // The first ones are tried one by one.
  std::uint64_t step(std::uint64_t operations) const { return operations < 12 ? 1 : stride; }
};
inline constexpr Failure kFailures[] = {{"Lost", lose_device_after, lost, 1, frond::device::kUsualPatience},
                                        {"Hangs", hang_device_after, hangs, 7, std::chrono::milliseconds(400)}};
inline std::string name_of(const testing::TestParamInfo<Failure>& info) { return info.param.name; }

// While it lives, the device fails after so many operations.
class Failing {
 public:
  Failing(const Failure& failure, std::uint64_t operations) : failure_(failure) {
    frond::device::set_patience(failure.patience);
    failure.begin(operations);
  }
  ~Failing() {
    failure_.begin(0);
    frond::device::forget_given_up();
    frond::device::set_patience(frond::device::kUsualPatience);
  }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;
  bool happened() const { return failure_.happened(); }

 private:
  const Failure& failure_;
};

}  // namespace cuda_on_host
