// A device that hangs: nothing waits for it any longer than it may, the end of the process included.
#include "common/device/patience.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>

#include "common/device/runtime.h"
#include "tests/support/cuda_on_host/fibers.h"

namespace frond::device {
namespace {

class DeviceThatHangs : public testing::Test {
 protected:
  DeviceThatHangs() { set_patience(std::chrono::milliseconds(100)); }
  ~DeviceThatHangs() override {
    cuda_on_host::hang_device_after(0);
    forget_given_up();
    set_patience(kUsualPatience);
  }
};

TEST_F(DeviceThatHangs, IsGivenUpByAWaitAndThenNothingWaitsForItAnyMore) {
  auto stream = Stream::create();
  auto memory = Memory::create(Place::kDevice, 1024);
  auto event = Event::create();
  ASSERT_TRUE(stream && memory && event);
  ASSERT_TRUE(event->record(stream->get()));
  EXPECT_TRUE(event->wait());
  cuda_on_host::hang_device_after(1);
  EXPECT_TRUE(fill_with_zeros(memory->data(), memory->bytes(), stream->get()));
  EXPECT_TRUE(event->record(stream->get()));
  EXPECT_FALSE(given_up());
  const auto waited = event->wait();
  ASSERT_EQ(waited, Code::kDevice);
  EXPECT_EQ(waited.error().message(), "GPU: it did not answer within 100 ms and is given up");
  EXPECT_TRUE(given_up());

  set_patience(std::chrono::hours(1));
  EXPECT_EQ(event->record(stream->get()), Code::kDevice);
  EXPECT_EQ(event->wait(), Code::kDevice);
  EXPECT_EQ(event->done(), Code::kDevice);
  EXPECT_EQ(fill_with_zeros(memory->data(), memory->bytes(), stream->get()), Code::kDevice);
  EXPECT_EQ(Memory::create(Place::kPinnedHost, 1024), Code::kDevice);
  EXPECT_EQ(Stream::create(), Code::kDevice);
  EXPECT_EQ(properties_of(0), Code::kDevice);
  EXPECT_EQ(count_devices(), 0);
}

TEST_F(DeviceThatHangs, IsGivenUpByACallThatDoesNotReturn) {
  cuda_on_host::hang_device_after(1);
  EXPECT_EQ(Memory::create(Place::kDevice, 1024), Code::kDevice);
  EXPECT_TRUE(given_up());
}

TEST_F(DeviceThatHangs, DoesNotStopDestructors) {
  {
    auto memory = Memory::create(Place::kDevice, 1024);
    ASSERT_TRUE(memory);
    cuda_on_host::hang_device_after(1);
  }
  EXPECT_TRUE(given_up());
}

TEST_F(DeviceThatHangs, DoesNotStopTheEndOfTheProcess) {
  const auto end = [] {
    std::atexit([] { ::pause(); });  // as the runtime's own end
    set_patience(std::chrono::milliseconds(20));
    cuda_on_host::hang_device_after(1);
    static_cast<void>(Memory::create(Place::kDevice, 1024));
    std::exit(given_up() ? 3 : 4);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace frond::device
