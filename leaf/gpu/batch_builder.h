#pragma once
// Plans, and the images of their lists, to the bytes of a batch: laid out in staging memory at the offsets that they
// will have in device memory. Plain C++, no device needed.
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "leaf/engine/plan.h"
#include "leaf/gpu/batch.h"

namespace frond::leaf::gpu {

// What lies on the device for as long as someone holds it.
struct ResidentList {
  DeviceList list;
  std::shared_ptr<const void> memory;
};
struct ResidentLengths {
  const std::uint32_t* lengths = nullptr;
  std::uint32_t least = 0;
  std::shared_ptr<const void> memory;
};

// A plan with everything that it needs on the device.
struct ReadyPlan {
  const Plan* plan = nullptr;
  std::vector<std::shared_ptr<const ResidentList>> lists;  // as plan->terms
  std::shared_ptr<const ResidentLengths> lengths;
  scoring::Score floor = 0;  // at least the plan's own
};

// Whether kernels can run it at all: 1 <= k <= kMostHits, 1 to kMostTermsOfAQuery terms, none of them without postings.
bool fits_kernels(const Plan& plan);

// The batch of such plans, at least one. Its pointers of plain data are offsets into `bytes` plus `base`; states, bins,
// keys and hits are left to the caller.
struct BuiltBatch {
  BatchOnDevice batch{};
  ByteBuffer bytes;
};
BuiltBatch build_batch(std::span<const ReadyPlan* const> plans, const std::byte* base);

}  // namespace frond::leaf::gpu
