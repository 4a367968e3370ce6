#pragma once
// Threads of a thread block as fibers of the calling thread: each runs until it must wait for others, so a kernel's
// run is the same every time. One kernel at a time in the process; the next waits.
#include <cstdint>
#include <functional>

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

namespace cuda_on_host {

struct Thread {
  dim3 thread, block;
  unsigned lane = 0, warp = 0;
};
// The thread that runs now.
const Thread& self();

// Runs `kernel` for every thread of every block, block after block. Ends the program with a line where threads wait for
// each other for ever, or lanes of a warp meet at different operations. block.x is a multiple of 32; grids have one
// dimension.
void run(dim3 grid, dim3 block, const std::function<void()>& kernel);

enum class Meeting { kSync, kShuffle, kBallot, kReduce };
// All 32 lanes come, each with a value; the values by lane, good until this lane's next meeting but one.
const std::uint64_t* meet_warp(Meeting kind, std::uint64_t value);
// All threads of the block that have not ended.
void meet_block();

// The device fails for good at the `operations`-th copy, launch or event from now on; 0 heals it.
void lose_device_after(std::uint64_t operations);
bool lost();  // counts as one operation

// From hold_device() on every such operation waits, on its thread, until let_device_go().
void hold_device();
void await_held_operation();  // returns when one waits
void let_device_go();

}  // namespace cuda_on_host
