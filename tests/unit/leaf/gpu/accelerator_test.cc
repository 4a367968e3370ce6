// Which of a machine's devices a leaf uses, what it says of the others, and of each in its metrics.
#include "leaf/accelerator.h"

#include <gtest/gtest.h>

#include "common/device/devices.h"
#include "common/device/patience.h"
#include "leaf/engines.h"
#include "tests/support/cuda_on_host/devices.h"
#include "tests/support/cuda_on_host/fibers.h"

namespace frond::leaf {
namespace {

class AnAccelerator : public testing::Test {
 protected:
  AnAccelerator() { cuda_on_host::set_devices(2); }
  ~AnAccelerator() override {
    cuda_on_host::lose_device_after(0, 1);
    device::forget_given_up();
    cuda_on_host::set_devices(1);
  }
  // `devices`: those that --gpu names; none: all.
  std::unique_ptr<Accelerator> make(std::vector<int> devices = {}) {
    options_.gpu_devices = std::move(devices);
    options_.gpu_named = !options_.gpu_devices.empty();
    options_.gpu_cache_bytes = std::uint64_t{60} << 20;
    return accelerator_for(options_, *below_, registry_, log_);
  }
  static std::vector<int> numbers_of(const std::unique_ptr<Accelerator>& made) {
    std::vector<int> numbers;
    if (made)
      for (const auto& device : made->devices()) numbers.push_back(device.number);
    return numbers;
  }

  Options options_;
  const std::unique_ptr<engine::QueryEngine> below_ = *engine_named("cpu");
  metrics::Registry registry_{"test"};
  Logger log_{"test", LogLevel::kError};
};

TEST_F(AnAccelerator, IsAllDevicesOfTheMachine) {
  const auto made = make();
  EXPECT_EQ(numbers_of(made), (std::vector<int>{0, 1}));
  EXPECT_EQ(made->working(), 2u);
  EXPECT_EQ(gpu_state(options_, made.get()), "0 ready, 1 ready");
}

TEST_F(AnAccelerator, IsTheDevicesThatAreNamedInThisOrder) {
  EXPECT_EQ(numbers_of(make({1})), (std::vector<int>{1}));
  EXPECT_EQ(numbers_of(make({1, 0})), (std::vector<int>{1, 0}));
}

TEST_F(AnAccelerator, TellsTheMemoryOfEachDeviceBesideTheHosts) {
  options_.budgets = {{.flag = "--cpu-threads", .amount = 3}};
  const auto made = make();
  const auto budgets = budgets_of(options_, made.get());
  ASSERT_EQ(budgets.size(), 3u);
  EXPECT_EQ(budgets[0], options_.budgets[0]);
  EXPECT_EQ(budgets[2], (Budget{.flag = "--gpu-cache", .amount = 60u << 20, .bytes = true, .device = 1}));
  EXPECT_EQ(budgets_of(options_, nullptr), options_.budgets);
}

TEST_F(AnAccelerator, LeavesOutADeviceThatIsNotThere) {
  const auto made = make({7, 1});
  EXPECT_EQ(numbers_of(made), (std::vector<int>{1}));
  EXPECT_EQ(gpu_state(options_, made.get()), "ready");
  EXPECT_EQ(make({7}), nullptr);
  EXPECT_EQ(gpu_state(options_, nullptr), "absent");
}

TEST_F(AnAccelerator, LeavesOutADeviceThatAnotherProcessFills) {
  cuda_on_host::fill_device(0, true);
  EXPECT_EQ(numbers_of(make()), (std::vector<int>{1}));
  cuda_on_host::fill_device(1, true);
  EXPECT_EQ(make(), nullptr);
  cuda_on_host::fill_device(0, false);
  cuda_on_host::fill_device(1, false);
}

TEST_F(AnAccelerator, IsNoneIfItIsOff) {
  options_.gpu_off = true;
  EXPECT_EQ(make(), nullptr);
  EXPECT_EQ(gpu_state(options_, nullptr), "off");
  export_gpu_state(registry_, options_, nullptr);
  EXPECT_NE(registry_.exposition().find("frond_leaf_gpu_state{state=\"off\"} 1"), std::string::npos);
}

TEST_F(AnAccelerator, TellsOfEachDevice) {
  const auto made = make();
  export_gpu_state(registry_, options_, made.get());
  made->add(3, 1000);
  const auto has = [this](std::string_view line) { return registry_.exposition().find(line) != std::string::npos; };
  for (const char* const number : {"0", "1"})
    EXPECT_TRUE(has("frond_leaf_gpu_state{device=\"" + std::string(number) + "\",state=\"ready\"} 1"));
  EXPECT_TRUE(has("frond_leaf_gpu_partitions{device=\"0\"} 1"));
  EXPECT_TRUE(has("frond_leaf_gpu_lists_refused_total{device=\"1\",reason=\"damaged\"} 0"));
  give_up_gpu(1);
  EXPECT_TRUE(device::given_up(1));
  EXPECT_FALSE(device::given_up(0));
}

}  // namespace
}  // namespace frond::leaf
