#include "tests/support/cuda_on_host/fibers.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/support/cuda_on_host/devices.h"
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
struct Device {
  std::atomic<std::uint64_t> operations_left{0}, operations_before_hang{0};
  std::atomic<bool> lost{false}, hangs{false}, held{false}, operation_waits{false}, full{false};
};
std::array<Device, kMaxDevices> all_devices;
std::atomic<int> device_count{1};
thread_local int chosen_device = 0;
Device& device_of(int number) { return all_devices[static_cast<std::size_t>(number)]; }
Device& current() { return device_of(chosen_device); }

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
  Device& device = current();
  std::uint64_t left = device.operations_before_hang;
  while (left > 0 && !device.operations_before_hang.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 1) device.hangs = true;
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

void set_devices(int count) { device_count = count; }
int devices() { return device_count; }
int current_device() { return chosen_device; }
void set_current_device(int device) { chosen_device = device; }

void fill_device(int device, bool full) { device_of(device).full = full; }
bool is_full() { return current().full; }

void lose_device_after(std::uint64_t operations) { lose_device_after(operations, 0); }
void lose_device_after(std::uint64_t operations, int device) {
  device_of(device).lost = false;
  device_of(device).operations_left = operations;
}

void hang_device_after(std::uint64_t operations) { hang_device_after(operations, 0); }
void hang_device_after(std::uint64_t operations, int device) {
  device_of(device).operations_before_hang = operations;
  device_of(device).hangs = false;
  device_of(device).hangs.notify_all();
}

bool was_lost() { return current().lost; }

bool hangs() { return current().hangs; }

void block_while_it_hangs() {
  count_to_hang();
  current().hangs.wait(true);
}

void hold_device() { hold_device(0); }
void hold_device(int device) {
  device_of(device).operation_waits = false;
  device_of(device).held = true;
}

void await_held_operation() { await_held_operation(0); }
void await_held_operation(int device) { device_of(device).operation_waits.wait(false); }

void let_device_go() { let_device_go(0); }
void let_device_go(int device) {
  device_of(device).held = false;
  device_of(device).held.notify_all();
}

bool lost() {
  Device& device = current();
  if (device.held) {
    device.operation_waits = true;
    device.operation_waits.notify_all();
    device.held.wait(true);
  }
  count_to_hang();
  if (device.operations_left > 0 && --device.operations_left == 0) device.lost = true;
  return device.lost;
}

}  // namespace cuda_on_host
