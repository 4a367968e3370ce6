#pragma once
// Several devices, each with failures of its own (fibers.h): what is not said to be of another device there is of
// device 0, or of the current one of the calling thread. The program ends when a stream is used while another device
// than its own is current.
#include <cstdint>

namespace cuda_on_host {

inline constexpr int kMaxDevices = 8;
void set_devices(int count);  // 1 at first
int devices();
int current_device();  // of this thread; 0 at first
void set_current_device(int device);

// Whether another process has all of its memory.
void fill_device(int device, bool full);
bool is_full();  // the current one

void lose_device_after(std::uint64_t operations, int device);
void hang_device_after(std::uint64_t operations, int device);
void hold_device(int device);
void await_held_operation(int device);
void let_device_go(int device);

}  // namespace cuda_on_host
