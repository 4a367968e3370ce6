// A round of exchanges between the halves of all ranges.
#include <bit>

#include "common/device/warp.cuh"
#include "indexer/invert/gpu/grid.cuh"
#include "indexer/order/bisection_rules.h"
#include "indexer/order/gpu/kernels.h"

namespace frond::indexer::order::gpu {

using namespace invert::gpu;  // grid.cuh

namespace {

__global__ void weigh_each_slot(BisectionOnDevice on, std::uint32_t threads) {
  for (std::uint32_t slot = first_of_thread(); slot < on.slots; slot += threads) {
    const std::uint32_t range = on.slot_range[slot];
    if (on.active[range] == 0) continue;
    const TermSides count = on.counts[slot];
    SavedByMove saved{0, 0};
    // A term of a single document has no gaps in the range.
    if (count.left + count.right >= 2) {
      const std::uint32_t size = on.range_begins[range + 1] - on.range_begins[range];
      const std::int32_t difference = on.differences[size - on.small];
      // Nobody reads what moving a document that is not there would save.
      saved.to_right = difference - on.steps[count.left] + on.steps[count.right + 1];
      saved.to_left = on.steps[count.left + 1] - on.steps[count.right] - difference;
    }
    on.saved[slot] = saved;
  }
}

__global__ void weigh_each_document(BisectionOnDevice on, std::int64_t margin, std::uint32_t threads) {
  for (std::uint32_t place = first_of_warp(); place < on.documents; place += threads / kLanes) {
    if (on.active[on.range_of[place]] == 0) continue;  // the same for all lanes
    const std::uint32_t document = on.order[place], length = on.lengths[document];
    const bool is_right = on.sides[place] != 0;
    const std::uint32_t* const slots = on.slots_of + on.begins[document];
    std::int64_t gain = 0;
    for (std::uint32_t i = device::lane_of_warp(); i < length; i += kLanes) {
      const SavedByMove saved = on.saved[slots[i]];
      gain += is_right ? saved.to_left : saved.to_right;
    }
    for (int other = kLanes / 2; other > 0; other /= 2) gain += __shfl_xor_sync(~0u, gain, other);
    if (device::lane_of_warp() == 0)
      on.keys[place] = preference_key(is_right ? margin - gain : gain - margin, is_right);
  }
}

}  // namespace

Result<void> weigh_slots(const BisectionOnDevice& on, const KernelPlace& place) {
  return launch_grid("weigh_slots", weigh_each_slot, on.slots, place, on);
}

Result<void> weigh_documents(const BisectionOnDevice& on, std::int64_t margin, const KernelPlace& place) {
  return launch_warps("weigh_documents", weigh_each_document, on.documents, place, on, margin);
}

namespace {

constexpr std::uint32_t kDigits = 256, kDigitBits = 8;
constexpr std::uint32_t kMaxSelectThreads = 1024;

// Keys of a range are different: by preference, then by place.
__device__ std::uint64_t whole_key(const BisectionOnDevice& on, std::uint32_t begin, std::uint32_t i) {
  return std::uint64_t{on.keys[begin + i]} << 32 | i;
}

// The digit of the `wanted`-th number among the counted ones, counted from 1, by one warp; afterwards `wanted` is how
// many numbers of this digit are still wanted.
__device__ std::uint32_t digit_of(const std::uint32_t* counts, std::uint32_t& wanted) {
  constexpr std::uint32_t kEach = kDigits / kLanes;
  const std::uint32_t lane = device::lane_of_warp();
  std::uint32_t own = 0;
  for (std::uint32_t i = 0; i < kEach; ++i) own += counts[lane * kEach + i];
  std::uint32_t up_to = own;
  for (std::uint32_t by = 1; by < kLanes; by *= 2) {
    const std::uint32_t before = __shfl_up_sync(~0u, up_to, by);
    if (lane >= by) up_to += before;
  }
  const int found = __ffs(static_cast<int>(__ballot_sync(~0u, up_to >= wanted))) - 1;
  std::uint32_t digit = lane * kEach, before = up_to - own;
  while (lane == static_cast<std::uint32_t>(found) && before + counts[digit] < wanted) before += counts[digit++];
  digit = __shfl_sync(~0u, digit, found);
  wanted -= __shfl_sync(~0u, before, found);
  return digit;
}

// A thread block for each range: finds the key that half of the documents have at most, digit by digit, and puts these
// to the left, the others to the right. Marks those that change sides.
__global__ void select_halves(BisectionOnDevice on, std::uint32_t threads) {
  __shared__ std::uint32_t counts[kDigits];
  __shared__ std::uint64_t the_most;
  __shared__ std::uint32_t the_wanted, is_found, moved;
  const std::uint32_t range = blockIdx.x;
  if (on.active[range] == 0) return;  // the same for all threads
  const std::uint32_t begin = on.range_begins[range], size = on.range_begins[range + 1] - begin;
  if (threadIdx.x == 0) {
    the_most = 0;
    the_wanted = size / 2;
    is_found = 0;
    moved = 0;
  }
  __syncthreads();
  for (std::uint32_t digits = 0; digits < 64 / kDigitBits && is_found == 0; ++digits) {
    const std::uint32_t shift = 64 - kDigitBits * (digits + 1);
    const std::uint64_t above = the_most;  // the digits so far; below them zeros
    for (std::uint32_t i = threadIdx.x; i < kDigits; i += threads) counts[i] = 0;
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < size; i += threads) {
      const std::uint64_t key = whole_key(on, begin, i);
      if (((key ^ above) >> shift) < kDigits) atomicAdd(&counts[(key >> shift) % kDigits], 1u);
    }
    __syncthreads();
    if (threadIdx.x < kLanes) {
      std::uint32_t wanted = the_wanted;
      const std::uint32_t digit = digit_of(counts, wanted);
      if (threadIdx.x == 0) {
        is_found = counts[digit] == wanted ? 1 : 0;  // all that have these digits
        the_wanted = wanted;
        the_most = above | std::uint64_t{digit} << shift;
        if (is_found != 0) the_most |= (std::uint64_t{1} << shift) - 1;
      }
    }
    __syncthreads();
  }
  const std::uint64_t most = the_most;
  for (std::uint32_t i = threadIdx.x; i < size; i += threads) {
    const std::uint32_t side = whole_key(on, begin, i) > most ? kRight : 0;
    if (side == on.sides[begin + i]) continue;
    on.sides[begin + i] = side | kMoved;
    atomicAdd(&moved, 1u);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  const bool goes_on = std::uint64_t{moved} * kMinMovedPart >= size;
  on.active[range] = goes_on ? 1 : 0;
  if (goes_on) atomicAdd(on.active_ranges, 1u);
}

__global__ void count_moved(BisectionOnDevice on, std::uint32_t threads) {
  for (std::uint32_t place = first_of_warp(); place < on.documents; place += threads / kLanes) {
    const std::uint32_t side = on.sides[place];
    if ((side & kMoved) == 0) continue;  // the same for all lanes
    __syncwarp();                        // all have read it
    const std::uint32_t document = on.order[place], length = on.lengths[document];
    const std::uint32_t* const slots = on.slots_of + on.begins[document];
    const bool to_right = (side & kRight) != 0;
    for (std::uint32_t i = device::lane_of_warp(); i < length; i += kLanes) {
      TermSides& count = on.counts[slots[i]];
      atomicAdd(to_right ? &count.right : &count.left, 1u);
      atomicSub(to_right ? &count.left : &count.right, 1u);
    }
    if (device::lane_of_warp() == 0) on.sides[place] = side & kRight;
  }
}

}  // namespace

Result<void> exchange(const BisectionOnDevice& on, const KernelPlace& place) {
  // A thread for four documents or so: of small ranges many are at work at a time.
  const std::uint32_t threads = std::min(kMaxSelectThreads, std::max(kLanes, std::bit_floor(on.small / 4)));
  FROND_TRY(device::launch("select_halves", select_halves, on.ranges, threads, place.stream, on, threads));
  return launch_warps("count_moved", count_moved, on.documents, place, on);
}

}  // namespace frond::indexer::order::gpu
