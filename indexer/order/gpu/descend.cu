#include <cub/device/device_scan.cuh>

#include "indexer/order/bisection_rules.h"
#include "indexer/order/gpu/launch_items.cuh"

namespace frond::indexer::order::gpu {
namespace {

__device__ bool is_cut(const BisectionOnDevice& on, std::uint32_t range) {
  return on.range_begins[range + 1] - on.range_begins[range] > kSmallestRange;
}

// Either half of a range stays in order, which is the best guess for the next cut.
__global__ void order_halves(BisectionOnDevice on, std::uint32_t threads) {
  for (std::uint32_t place = first_of_thread(); place < on.documents; place += threads) {
    const std::uint32_t range = on.range_of[place], begin = on.range_begins[range];
    const std::uint32_t size = on.range_begins[range + 1] - begin;
    const std::uint32_t rights = on.rights_before[place] - on.rights_before[begin];
    const bool is_right = on.sides[place] != 0;
    on.next_order[is_right ? begin + size / 2 + rights : place - rights] = on.order[place];
  }
}

// Which slots go on in either half: two documents there have the term.
__global__ void find_next_slots(BisectionOnDevice on, std::uint32_t threads) {
  for (std::uint32_t slot = first_of_thread(); slot <= on.slots; slot += threads) {
    const bool cut = slot < on.slots && is_cut(on, on.slot_range[slot]);
    const TermSides count = cut ? on.counts[slot] : TermSides{};
    on.lefts[slot] = count.left >= 2 ? 1 : 0;
    on.rights[slot] = count.right >= 2 ? 1 : 0;
  }
}

// The slots of a range become those of its left half, then those of its right half.
__device__ std::uint32_t next_slot(const BisectionOnDevice& on, std::uint32_t range, std::uint32_t slot,
                                   bool is_right) {
  return is_right ? on.lefts[on.slot_begins[range + 1]] + on.rights[slot]
                  : on.rights[on.slot_begins[range]] + on.lefts[slot];
}

__global__ void begin_next_slots(BisectionOnDevice on, std::uint32_t threads) {
  for (std::uint32_t range = first_of_thread(); range <= on.ranges; range += threads) {
    const std::uint32_t begin = on.slot_begins[range];
    on.next_slot_begins[2 * range] = on.lefts[begin] + on.rights[begin];
    if (range < on.ranges) on.next_slot_begins[2 * range + 1] = on.lefts[on.slot_begins[range + 1]] + on.rights[begin];
  }
}

__global__ void number_next_slots(BisectionOnDevice on, std::uint32_t threads) {
  for (std::uint32_t slot = first_of_thread(); slot < on.slots; slot += threads) {
    const std::uint32_t range = on.slot_range[slot];
    if (on.lefts[slot + 1] > on.lefts[slot]) on.next_slot_range[next_slot(on, range, slot, false)] = 2 * range;
    if (on.rights[slot + 1] > on.rights[slot]) on.next_slot_range[next_slot(on, range, slot, true)] = 2 * range + 1;
  }
}

// Documents get the numbers of their terms' next slots, in place; terms without one are left out.
__global__ void renumber_documents(BisectionOnDevice on, std::uint32_t threads) {
  const std::uint32_t lane = lane_of_thread();
  for (std::uint32_t place = first_of_warp(); place < on.documents; place += threads / kLanes) {
    const std::uint32_t document = on.order[place], length = on.lengths[document], range = on.range_of[place];
    const bool is_right = on.sides[place] != 0;
    const std::uint32_t* const before = is_right ? on.rights : on.lefts;
    std::uint32_t* const slots = on.slots_of + on.begins[document];
    std::uint32_t kept = 0;
    for (std::uint32_t first = 0; first < length; first += kLanes) {
      const std::uint32_t slot = first + lane < length ? slots[first + lane] : 0;
      const bool keeps = first + lane < length && before[slot + 1] > before[slot];
      const std::uint32_t keeping = __ballot_sync(~0u, keeps);  // all lanes have read: what follows writes before that
      if (keeps) {
        const auto rank = static_cast<std::uint32_t>(__popc(keeping & ((1u << lane) - 1)));
        slots[kept + rank] = next_slot(on, range, slot, is_right);
      }
      kept += static_cast<std::uint32_t>(__popc(keeping));
    }
    if (lane == 0 && length > 0) on.lengths[document] = kept;
  }
}

Result<void> sum_before(std::uint32_t* from, std::uint32_t* to, std::uint64_t count, const KernelPlace& place) {
  std::size_t bytes = place.space_bytes;
  return device::status_of(
      cub::DeviceScan::ExclusiveSum(place.space, bytes, from, to, static_cast<int>(count), place.stream), "summing up");
}

}  // namespace

Result<std::size_t> kernel_space(std::uint32_t documents, std::uint32_t slots) {
  std::size_t bytes = 0;
  std::uint32_t* const none = nullptr;
  const int most = static_cast<int>(std::max(documents, slots + 1));
  FROND_TRY(device::status_of(cub::DeviceScan::ExclusiveSum(nullptr, bytes, none, none, most, cudaStream_t{}),
                              "asking for space"));
  return bytes;
}

Result<void> descend(const BisectionOnDevice& on, const KernelPlace& place) {
  FROND_TRY(sum_before(on.sides, on.rights_before, on.documents, place));
  FROND_TRY(launch_items("order_halves", order_halves, on.documents, place, on));
  FROND_TRY(launch_items("find_next_slots", find_next_slots, std::uint64_t{on.slots} + 1, place, on));
  FROND_TRY(sum_before(on.lefts, on.lefts, std::uint64_t{on.slots} + 1, place));
  FROND_TRY(sum_before(on.rights, on.rights, std::uint64_t{on.slots} + 1, place));
  FROND_TRY(launch_items("begin_next_slots", begin_next_slots, std::uint64_t{on.ranges} + 1, place, on));
  FROND_TRY(launch_items("number_next_slots", number_next_slots, on.slots, place, on));
  return launch_warps("renumber_documents", renumber_documents, on.documents, place, on);
}

}  // namespace frond::indexer::order::gpu
