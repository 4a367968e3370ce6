#pragma once
// Several devices in one process: which one a thread uses, and which were given up (patience.h). What a thread does and
// creates belongs to the device that it chose with use(); objects are used on threads that have chosen theirs. Any
// thread may call these (ADR 75).
namespace frond::device {

inline constexpr int kMaxDevices = 64;

// The device that use() chose last on this thread; -1: none yet, which is device 0 for the runtime.
int current_device();
void set_current_device(int device);  // for use() alone

// give_up() and given_up() are of this thread's device; these of any.
void give_up(int device);
bool given_up(int device);
// What the process then owns of any device stays allocated: its owner does not know whose it is, and freeing one
// device's memory may wait for all.
bool any_given_up();

}  // namespace frond::device
