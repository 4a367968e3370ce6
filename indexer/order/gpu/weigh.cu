#include "indexer/order/bisection_rules.h"
#include "indexer/order/gpu/launch_items.cuh"

namespace frond::indexer::order::gpu {
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
    for (std::uint32_t i = lane_of_thread(); i < length; i += kLanes) {
      const SavedByMove saved = on.saved[slots[i]];
      gain += is_right ? saved.to_left : saved.to_right;
    }
    for (int other = kLanes / 2; other > 0; other /= 2) gain += __shfl_xor_sync(~0u, gain, other);
    if (lane_of_thread() == 0) on.keys[place] = preference_key(is_right ? margin - gain : gain - margin, is_right);
  }
}

}  // namespace

Result<void> weigh_slots(const BisectionOnDevice& on, const KernelPlace& place) {
  return launch_items("weigh_slots", weigh_each_slot, on.slots, place, on);
}

Result<void> weigh_documents(const BisectionOnDevice& on, std::int64_t margin, const KernelPlace& place) {
  return launch_warps("weigh_documents", weigh_each_document, on.documents, place, on, margin);
}

}  // namespace frond::indexer::order::gpu
