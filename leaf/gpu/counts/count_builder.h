#pragma once
// Makes a batch of counts (count_batch.h) of plans with all that they need on the device. Needs no device.
#include <cstddef>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "leaf/gpu/batch_builder.h"
#include "leaf/gpu/counts/count_batch.h"

namespace frond::leaf::gpu {

// Counters that the plan needs: the codes of all that is counted.
std::size_t counters_of(const engine::Plan& plan);
// Whether the kernels can count it, with at most kMaxCounters, or only its matches: there are 1 to kMaxQueryTerms
// terms, all with postings.
bool fits_counters(const engine::Plan& plan);

// Not thread-safe. Keeps its memory from one batch to the next.
class CountBuilder {
 public:
  // Of one or more plans that fit the counters. Sets the numbers, the pieces and the pointers to plain data, which will
  // be copied from bytes() to `base`. The caller sets the rest.
  CountBatch build(std::span<const ReadyPlan* const> plans, const std::byte* base);
  // The plain data of the last batch; a multiple of 16 bytes.
  ByteView bytes() const { return bytes_; }

 private:
  void add(const ReadyPlan& ready);

  std::vector<CountedQuery> queries_;
  std::vector<DeviceList> lists_;
  std::vector<CodesOnDevice> columns_;
  std::uint32_t counters_ = 0;
  ByteBuffer bytes_;
};

}  // namespace frond::leaf::gpu
