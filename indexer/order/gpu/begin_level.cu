#include "indexer/order/bisection_rules.h"
#include "indexer/order/gpu/launch_items.cuh"

namespace frond::indexer::order::gpu {
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
    for (std::uint32_t i = lane_of_thread(); i < length; i += kLanes) {
      TermSides& count = on.counts[slots[i]];
      atomicAdd(is_right ? &count.right : &count.left, 1u);
    }
  }
}

}  // namespace

Result<void> begin_documents(const BisectionOnDevice& on, const KernelPlace& place) {
  return launch_items("number_documents", number_documents, on.documents, place, on);
}

Result<void> begin_level(const BisectionOnDevice& on, std::uint32_t level, const KernelPlace& place) {
  FROND_TRY(launch_items("cut_ranges", cut_ranges, std::uint64_t{on.ranges} + 1, place, on, level));
  FROND_TRY(launch_items("place_documents", place_documents, on.documents, place, on));
  return launch_warps("count_sides", count_sides, on.documents, place, on);
}

}  // namespace frond::indexer::order::gpu
