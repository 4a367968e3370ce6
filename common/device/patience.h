#pragma once
// What happens when a device hangs: the process gives it up. From then on nothing in the process calls the CUDA runtime
// for this device. Creations, launches, copies and waits fail at once with kDevice, and destructors leave what they own
// allocated: the runtime would block until the device has done its work, and the device may still write to pinned
// memory. Whoever runs on a device goes on without it, as after any other error of it.
//
// The state is the process's, for each device (devices.h): these are of this thread's. A device that hangs blocks all
// of its callers, so other devices go on. Any thread may call these (ADRs 30, 75).
#include <chrono>
#include <functional>

#include "common/base/result.h"

namespace frond::device {

inline constexpr std::chrono::milliseconds kUsualPatience{30'000};

// How long one wait, or one call that may block, may take. Set it before the first use of a device.
std::chrono::milliseconds patience();
void set_patience(std::chrono::milliseconds patience);

// The process then ends with exit() or the return of main() as soon as what was registered since then has run: the
// runtime's own end would wait for the device. Standard streams are flushed.
void give_up();
bool given_up();
// The error of everything that is tried after give_up(). kDevice.
Error given_up_error();

// Runs a call that may block in the driver on a thread of its own, with this thread's device. Gives the device up and
// returns an error if the call has not returned within patience(); the thread then stays blocked, so the call must own
// all that it uses. Without a device in use, this thread's device is none.
Result<void> within_patience(const char* what, std::function<int()> call);

// For tests: forgets which devices were given up.
void forget_given_up();

}  // namespace frond::device
