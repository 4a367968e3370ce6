#pragma once
// The threads of a thread block as fibers of the calling thread. Each runs until it must wait for others, so every run
// of a kernel is the same. One kernel runs at a time in the process; others wait.
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
// The kernel's thread that is running.
const Thread& self();

// Runs `kernel` for every thread of every block, block after block. Ends the program with a message when threads wait
// for each other for ever, or when lanes of a warp are at different operations. block.x is a multiple of 32, at most
// 1,024. Grids have one dimension.
void run(dim3 grid, dim3 block, const std::function<void()>& kernel);

enum class Meeting { kSync, kShuffle, kBallot, kReduce };
// Waits until all 32 lanes of the warp have called it, each with a value. Returns the values by lane; they stay until
// the lane's next call but one.
const std::uint64_t* meet_warp(Meeting kind, std::uint64_t value);
// Waits until all threads of the block that have not ended have called it.
void meet_block();

// From the `operations`-th operation (copy, launch or event) from now on every operation fails. 0: none fails any more.
void lose_device_after(std::uint64_t operations);
bool lost();      // whether operations fail; counts as one operation
bool was_lost();  // the same, without counting as one

// From the `operations`-th operation or blocking call (allocating, freeing, streams, devices) from now on the device
// hangs: what is launched or copied does not happen, though the call succeeds; events are not reached; and blocking
// calls do not return. 0: it does not hang any more, and calls that blocked return.
void hang_device_after(std::uint64_t operations);
bool hangs();
void block_while_it_hangs();  // a blocking call

// From hold_device() on every operation blocks its calling thread until let_device_go().
void hold_device();
void await_held_operation();  // returns when an operation is blocked
void let_device_go();

}  // namespace cuda_on_host
