#pragma once
// Bisection in device memory: all ranges of a level at once. For .cu files and the host.
#include <cstdint>

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

}  // namespace frond::indexer::order::gpu
