#pragma once
// The steps of a level, as kernels. All are asynchronous. kDevice.
#include <cstddef>
#include <cstdint>

#include "common/device/runtime.h"
#include "indexer/order/gpu/bisection_on_device.h"

namespace frond::indexer::order::gpu {

struct KernelPlace {
  device::StreamHandle stream = nullptr;
  std::uint32_t processors = 1;
  std::byte* space = nullptr;  // for CUB
  std::size_t space_bytes = 0;
};
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
