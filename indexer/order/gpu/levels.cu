// The beginning and the end of a level: ranges, their documents and slots.
#include "common/device/warp.cuh"
#include "indexer/invert/gpu/grid.cuh"
#include "indexer/order/bisection_rules.h"
#include "indexer/order/gpu/kernels.h"

namespace frond::indexer::order::gpu {

using namespace invert::gpu;  // grid.cuh

namespace {

__global__ void number_documents(BisectionOnDevice on, std::uint32_t threads) {
  for (std::uint32_t d = first_of_thread(); d < on.documents; d += threads) {
    on.lengths[d] = static_cast<std::uint32_t>(on.begins[d + 1] - on.begins[d]);
    on.order[d] = d;
  }
}

// Where range `range` of 2^level begins: its number's bits say which half it is in, from the first cut on.
__global__ void cut_ranges(BisectionOnDevice on, std::uint32_t level, std::uint32_t threads) {
  for (std::uint32_t range = first_of_thread(); range <= on.ranges; range += threads) {
    std::uint32_t begin = 0, size = on.documents;
    for (std::uint32_t bit = level; bit-- > 0 && range < on.ranges;) {
      const std::uint32_t middle = size / 2;
      if ((range >> bit) & 1) {
        begin += middle;
        size -= middle;
      } else {
        size = middle;
      }
    }
    on.range_begins[range] = range == on.ranges ? on.documents : begin;
    if (range < on.ranges) on.active[range] = size > kSmallestRange ? 1 : 0;
  }
}

__global__ void place_documents(BisectionOnDevice on, std::uint32_t threads) {
  for (std::uint32_t place = first_of_thread(); place < on.documents; place += threads) {
    std::uint32_t range = 0, behind = on.ranges;  // the last range that begins here or before
    while (behind - range > 1) {
      const std::uint32_t middle = range + (behind - range) / 2;
      if (on.range_begins[middle] <= place)
        range = middle;
      else
        behind = middle;
    }
    const std::uint32_t begin = on.range_begins[range], size = on.range_begins[range + 1] - begin;
    on.range_of[place] = range;
    on.sides[place] = size > kSmallestRange && place - begin >= size / 2 ? kRight : 0;
  }
}

__global__ void count_sides(BisectionOnDevice on, std::uint32_t threads) {
  for (std::uint32_t place = first_of_warp(); place < on.documents; place += threads / kLanes) {
    const std::uint32_t document = on.order[place], length = on.lengths[document];
    const bool is_right = on.sides[place] != 0;
    const std::uint32_t* const slots = on.slots_of + on.begins[document];
    for (std::uint32_t i = device::lane_of_warp(); i < length; i += kLanes) {
      TermSides& count = on.counts[slots[i]];
      atomicAdd(is_right ? &count.right : &count.left, 1u);
    }
  }
}

}  // namespace

Result<void> begin_documents(const BisectionOnDevice& on, const KernelPlace& place) {
  return launch_grid("number_documents", number_documents, on.documents, place, on);
}

Result<void> begin_level(const BisectionOnDevice& on, std::uint32_t level, const KernelPlace& place) {
  FROND_TRY(launch_grid("cut_ranges", cut_ranges, std::uint64_t{on.ranges} + 1, place, on, level));
  FROND_TRY(launch_grid("place_documents", place_documents, on.documents, place, on));
  return launch_warps("count_sides", count_sides, on.documents, place, on);
}

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
  const std::uint32_t lane = device::lane_of_warp();
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

}  // namespace

Result<std::size_t> kernel_space(std::uint32_t documents, std::uint32_t slots) {
  return sum_space<std::uint32_t>(std::max(documents, slots + 1));
}

Result<void> descend(const BisectionOnDevice& on, const KernelPlace& place) {
  FROND_TRY(sum_before(on.sides, on.rights_before, on.documents, place));
  FROND_TRY(launch_grid("order_halves", order_halves, on.documents, place, on));
  FROND_TRY(launch_grid("find_next_slots", find_next_slots, std::uint64_t{on.slots} + 1, place, on));
  FROND_TRY(sum_before(on.lefts, on.lefts, on.slots + 1, place));
  FROND_TRY(sum_before(on.rights, on.rights, on.slots + 1, place));
  FROND_TRY(launch_grid("begin_next_slots", begin_next_slots, std::uint64_t{on.ranges} + 1, place, on));
  FROND_TRY(launch_grid("number_next_slots", number_next_slots, on.slots, place, on));
  return launch_warps("renumber_documents", renumber_documents, on.documents, place, on);
}

}  // namespace frond::indexer::order::gpu
