#include "common/device/patience.h"

#include <cuda_runtime.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <iostream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "common/device/devices.h"
#include "common/device/runtime.h"

namespace frond::device {
namespace {

constexpr std::chrono::milliseconds kLook{20};  // how often a wait looks whether another thread gave the device up

std::atomic<std::chrono::milliseconds> the_patience{kUsualPatience};
std::array<std::atomic<bool>, kMaxDevices> is_given_up{};
std::atomic<bool> any_is{false};
thread_local int chosen = -1;

int this_threads() { return std::max(chosen, 0); }

// Runs before what was registered for the process's end before it, as the runtime's own end, which waits for the
// device.
void end_now(int status, void*) {
  if (!any_given_up()) return;
  std::cout.flush();
  std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace

std::chrono::milliseconds patience() { return the_patience.load(std::memory_order_relaxed); }
void set_patience(std::chrono::milliseconds patience) { the_patience.store(patience, std::memory_order_relaxed); }

int current_device() { return chosen; }
void set_current_device(int device) { chosen = device; }

void give_up(int device) {
  is_given_up[static_cast<std::size_t>(device)] = true;
  if (!any_is.exchange(true)) static_cast<void>(::on_exit(end_now, nullptr));
}
void give_up() { give_up(this_threads()); }
bool given_up(int device) { return is_given_up[static_cast<std::size_t>(device)].load(std::memory_order_relaxed); }
bool given_up() { return given_up(this_threads()); }
bool any_given_up() { return any_is.load(std::memory_order_relaxed); }
void forget_given_up() {
  for (auto& one : is_given_up) one = false;
  any_is = false;
}

Error given_up_error() {
  return Error(Code::kDevice,
               "GPU: it did not answer within " + std::to_string(patience().count()) + " ms and is given up");
}

Result<void> within_patience(const char* what, std::function<int()> call) {
  if (given_up()) return given_up_error();
  const int device = current_device();
  std::packaged_task<int()> task([call = std::move(call), device] {
    if (device >= 0)
      if (const int failed = cudaSetDevice(device); failed != cudaSuccess) return failed;
    return call();
  });
  std::future<int> answer = task.get_future();
  std::thread thread;
  try {
    thread = std::thread(std::move(task));
  } catch (const std::system_error&) {
    return Error(Code::kDevice, std::string("GPU: ") + what + ": no thread for it");
  }
  const auto end = std::chrono::steady_clock::now() + patience();
  while (answer.wait_for(kLook) != std::future_status::ready) {
    if (!given_up() && std::chrono::steady_clock::now() < end) continue;
    give_up();
    thread.detach();
    return given_up_error().within(what);
  }
  thread.join();
  return status_of(answer.get(), what);
}

}  // namespace frond::device
