#pragma once
// Counts documents by columns that may have several values a document, or whose codes are counted between bounds.
#include "leaf/gpu/counts/count_batch.h"
#include "leaf/gpu/counts/order_kernel.cuh"

namespace frond::leaf::gpu::counts {

// How many of the bounds a code is not below.
__device__ inline std::uint32_t bounds_up_to(const std::uint64_t* bounds, std::uint32_t count, std::uint64_t code) {
  std::uint32_t low = 0, high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (__ldg(bounds + middle) <= code)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Adds one to the counter of each value of the documents `first` and the numbers of `bits`; of a document without one
// to that of code 0. Counters below kCounters are at `few`, in shared memory, the others at `rest`. Not inlined: the
// usual columns need the registers.
template <std::uint32_t kCounters>
__device__ __attribute__((noinline)) void count_by_values(const CodesOnDevice* of, const std::uint64_t* all_bounds,
                                                          DocId first, std::uint32_t bits, std::uint32_t* few,
                                                          std::uint32_t* rest) {
  const CodesOnDevice column = *of;
  const auto add = [&](std::uint64_t code) {
    const std::uint32_t counter =
        column.first_counter + (column.bounds == 0
                                    ? static_cast<std::uint32_t>(code)
                                    : bounds_up_to(all_bounds + column.first_bound, column.bounds, code));
    atomicAdd(counter < kCounters ? few + counter : rest + counter, 1u);
  };
  for (; bits != 0; bits &= bits - 1) {
    const DocId docid = first + static_cast<std::uint32_t>(__ffs(static_cast<int>(bits))) - 1;
    if (column.places == nullptr) {
      add(code_at(column.codes, column.width, docid));
      continue;
    }
    const std::uint32_t begin = __ldg(column.places + docid), end = __ldg(column.places + docid + 1);
    if (begin >= end) add(0);
    for (std::uint32_t place = begin; place < end; ++place) add(code_at(column.codes, column.width, place));
  }
}

}  // namespace frond::leaf::gpu::counts
