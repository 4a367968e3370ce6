#include "tests/support/cuda_on_host/fibers.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/support/cuda_on_host/places.h"

namespace cuda_on_host {
namespace {

constexpr std::size_t kStackBytes = 128 << 10;
constexpr unsigned kLanes = 32;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "cuda_on_host: %s\n", what);
  std::abort();
}

// A fiber is started once and used again: when its thread ends it waits for a thread of the next block.
struct Fiber {
  Thread thread;
  Place place;
  bool ended = true;
};

struct Warp {
  std::array<std::array<std::uint64_t, kLanes>, 2> values;  // of this and of the previous meeting, in turn
  Meeting kind = Meeting::kSync;
  unsigned arrived = 0;
  std::uint64_t meetings = 0;
};

struct Machine {
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<Warp> warps;
  const std::function<void()>* kernel = nullptr;
  unsigned threads = 0, alive = 0, at_barrier = 0, current = 0;
  std::uint64_t barriers = 0, idle = 0;
  Place home;  // of the thread that runs the kernel
};
std::mutex one_kernel;
Machine machine;
std::atomic<std::uint64_t> operations_left{0};
std::atomic<bool> device_lost{false};
std::atomic<std::uint64_t> operations_before_hang{0};
std::atomic<bool> device_hangs{false};
std::atomic<bool> device_held{false}, operation_waits{false};

// Continues the next thread of the block that has not ended; returns when this one continues.
void switch_on(Fiber& from) {
  unsigned next = machine.current;
  do next = next + 1 == machine.threads ? 0 : next + 1;
  while (machine.fibers[next]->ended);
  if (next == machine.current) return;
  machine.current = next;
  from.place.switch_to(machine.fibers[next]->place);
}

// Lets the other threads run. `idle` counts switches since a thread last arrived at a meeting or ended.
void yield() {
  if (++machine.idle > 4 * std::uint64_t{machine.threads}) give_up("threads wait for others that never come");
  switch_on(*machine.fibers[machine.current]);
}

void release_barrier() {
  machine.at_barrier = 0;
  ++machine.barriers;
}

void enter() {
  Place::arrive();
  for (;;) {
    (*machine.kernel)();
    Fiber& fiber = *machine.fibers[machine.current];
    fiber.ended = true;
    machine.idle = 0;
    if (--machine.alive > 0 && machine.at_barrier == machine.alive) release_barrier();
    if (machine.alive == 0)
      fiber.place.switch_to(machine.home);
    else
      switch_on(fiber);
  }
}

void run_block(const dim3& block, unsigned index) {
  machine.threads = machine.alive = block.x;
  machine.at_barrier = 0;
  machine.idle = 0;
  machine.warps.assign(block.x / kLanes, Warp{});
  while (machine.fibers.size() < block.x) {
    machine.fibers.push_back(std::make_unique<Fiber>());
    machine.fibers.back()->place.prepare(enter, kStackBytes);
  }
  for (unsigned t = 0; t < block.x; ++t) {
    machine.fibers[t]->ended = false;
    machine.fibers[t]->thread = {dim3(t, 0, 0), dim3(index, 0, 0), t % kLanes, t / kLanes};
  }
  machine.current = 0;
  machine.home.belongs_to_this_thread();
  machine.home.switch_to(machine.fibers[0]->place);
}

void count_to_hang() {
  std::uint64_t left = operations_before_hang;
  while (left > 0 && !operations_before_hang.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 1) device_hangs = true;
}

}  // namespace

const Thread& self() { return machine.fibers[machine.current]->thread; }

void run(dim3 grid, dim3 block, const std::function<void()>& kernel) {
  if (block.x == 0 || block.x % kLanes != 0 || block.x > 1024) give_up("a block is whole warps, 1024 threads at most");
  const std::lock_guard lock(one_kernel);
  machine.kernel = &kernel;
  for (unsigned b = 0; b < grid.x; ++b) run_block(block, b);
}

const std::uint64_t* meet_warp(Meeting kind, std::uint64_t value) {
  machine.idle = 0;
  const Thread& thread = self();
  Warp& warp = machine.warps[thread.warp];
  const std::uint64_t meeting = warp.meetings;
  if (warp.arrived == 0)
    warp.kind = kind;
  else if (warp.kind != kind)
    give_up("lanes of a warp meet at different operations");
  auto& values = warp.values[meeting % 2];
  values[thread.lane] = value;
  if (++warp.arrived == kLanes) {
    warp.arrived = 0;
    ++warp.meetings;
  } else {
    while (warp.meetings == meeting) yield();
  }
  return values.data();
}

void meet_block() {
  machine.idle = 0;
  const std::uint64_t barrier = machine.barriers;
  if (++machine.at_barrier == machine.alive) return release_barrier();
  while (machine.barriers == barrier) yield();
}

void lose_device_after(std::uint64_t operations) {
  device_lost = false;
  operations_left = operations;
}

void hang_device_after(std::uint64_t operations) {
  operations_before_hang = operations;
  device_hangs = false;
  device_hangs.notify_all();
}

bool hangs() { return device_hangs; }

void block_while_it_hangs() {
  count_to_hang();
  device_hangs.wait(true);
}

void hold_device() {
  operation_waits = false;
  device_held = true;
}

void await_held_operation() { operation_waits.wait(false); }

void let_device_go() {
  device_held = false;
  device_held.notify_all();
}

bool lost() {
  if (device_held) {
    operation_waits = true;
    operation_waits.notify_all();
    device_held.wait(true);
  }
  count_to_hang();
  if (operations_left > 0 && --operations_left == 0) device_lost = true;
  return device_lost;
}

}  // namespace cuda_on_host
