#pragma once
// Bisection in device memory: all ranges of a level at once. For .cu files and the host.
#include <cstddef>
#include <cstdint>

#include "common/device/runtime.h"
#include "indexer/invert/gpu/device_copies.h"
#include "indexer/order/graph_bisection.h"

namespace frond::indexer::order::gpu {

// What moving one document of a term over to the other half saves (bisection_rules.h).
struct SavedByMove {
  std::int32_t to_right, to_left;
};

// A slot is a term in a range: at least two of the range's documents have it. Slots of a range are neighbours.
//
// A document's side: bit 0 is the half that it is in (1: right), bit 1 that it has changed in this round.
inline constexpr std::uint32_t kRight = 1, kMoved = 2;

struct BisectionOnDevice {
  std::uint32_t documents = 0, ranges = 0, slots = 0;
  // Ranges have `small` documents, or one more; size_difference() of either, as halves.
  std::uint32_t small = 0;
  std::int32_t differences[2] = {};
  const std::int32_t* steps = nullptr;  // step_of()

  // By document: its slots are slots_of[begins[d] .. + lengths[d]).
  const std::uint64_t* begins = nullptr;
  std::uint32_t *lengths = nullptr, *slots_of = nullptr;
  // By place.
  std::uint32_t *order = nullptr, *next_order = nullptr;
  std::uint32_t *range_of = nullptr, *sides = nullptr, *keys = nullptr;  // keys: preference_key()
  std::uint32_t* rights_before = nullptr;                                // may be where keys are
  // By range, and one more.
  std::uint32_t *range_begins = nullptr, *slot_begins = nullptr, *next_slot_begins = nullptr;
  std::uint32_t* active = nullptr;  // 1: documents are exchanged
  // By slot.
  TermSides* counts = nullptr;
  SavedByMove* saved = nullptr;
  std::uint32_t *slot_range = nullptr, *next_slot_range = nullptr;
  // By slot, and one more: how many slots before it go on in the left and in the right halves. Where `saved` is.
  std::uint32_t *lefts = nullptr, *rights = nullptr;

  std::uint32_t* active_ranges = nullptr;  // a count
};

// The steps of a level, as kernels. All are asynchronous. kDevice.

using invert::gpu::KernelPlace;
// The most that CUB needs.
Result<std::size_t> kernel_space(std::uint32_t documents, std::uint32_t slots);

// lengths, and the first order: that of the documents.
Result<void> begin_documents(const BisectionOnDevice& on, const KernelPlace& place);
// Cuts documents into 2^level ranges: range_begins, range_of, active, sides. Then counts the documents of each slot by
// side; counts are zeros before.
Result<void> begin_level(const BisectionOnDevice& on, std::uint32_t level, const KernelPlace& place);

// A round. active_ranges is zero before, and then the number of ranges that go on.
Result<void> weigh_slots(const BisectionOnDevice& on, const KernelPlace& place);
Result<void> weigh_documents(const BisectionOnDevice& on, std::int64_t margin, const KernelPlace& place);
Result<void> exchange(const BisectionOnDevice& on, const KernelPlace& place);

// Goes over to the ranges' halves: next_order, slots_of, lengths, next_slot_begins, next_slot_range. Afterwards
// next_slot_begins[2 * ranges] is the number of slots.
Result<void> descend(const BisectionOnDevice& on, const KernelPlace& place);

}  // namespace frond::indexer::order::gpu
