#pragma once
// Counts documents by columns that may have several values a document, or whose codes are counted between bounds or
// summed up.
#include "common/device/warp.cuh"
#include "leaf/engine/code_sums.h"
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

// Calls add(code) for each code of the document, or for 0 if it has none.
template <class Add>
__device__ inline void for_each_code_of(const CodesOnDevice& column, DocId docid, const Add& add) {
  if (column.places == nullptr) return add(code_at(column.codes, column.width, docid));
  const std::uint32_t begin = __ldg(column.places + docid), end = __ldg(column.places + docid + 1);
  if (begin >= end) add(std::uint64_t{0});
  for (std::uint32_t place = begin; place < end; ++place) add(code_at(column.codes, column.width, place));
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
    for_each_code_of(column, first + static_cast<std::uint32_t>(__ffs(static_cast<int>(bits))) - 1, add);
  }
}

// Adds the codes of the documents found, of which word w is thread w % kThreads's, to the sums of all columns that are
// summed up. All threads of a warp.
template <std::uint32_t kThreads>
__device__ __attribute__((noinline)) void sum_values(const CountBatch& batch, const CountedQuery& query, DocId first,
                                                     const std::uint32_t* found, std::uint32_t words) {
  using Sums = engine::CodeSums;
  using device::kFullWarp, device::lane_of_warp;
  for (std::uint32_t c = 0; c < query.columns; ++c) {
    const CodesOnDevice column = batch.columns[query.first_column + c];
    if (column.sums == 0) continue;
    std::uint32_t missing = 0;
    std::uint64_t numbers[Sums::kNumbers] = {};
    const auto add = [&](std::uint64_t code) {
      if (code == 0) {
        ++missing;
        return;
      }
      ++numbers[Sums::kCodes];
      numbers[Sums::kLow] += code & 0xffffffff;
      numbers[Sums::kHigh] += code >> 32;
      numbers[Sums::kGreatest] = max(numbers[Sums::kGreatest], code);
      numbers[Sums::kLeastInverted] = max(numbers[Sums::kLeastInverted], ~code);
    };
    for (std::uint32_t word = threadIdx.x; word < words; word += kThreads)
      for (std::uint32_t bits = found[word]; bits != 0; bits &= bits - 1)
        for_each_code_of(column, first + 32 * word + static_cast<std::uint32_t>(__ffs(static_cast<int>(bits))) - 1,
                         add);
    std::uint32_t* const to = batch.counters + query.first_counter + column.first_counter;
    missing = __reduce_add_sync(kFullWarp, missing);
    if (lane_of_warp() == 0 && missing != 0) atomicAdd(to + Sums::kMissing, missing);
    auto* const all = reinterpret_cast<unsigned long long*>(to + Sums::kFirst);
#pragma unroll
    for (std::uint32_t i = 0; i < Sums::kNumbers; ++i) {
      unsigned long long number = numbers[i];
      const bool adds = i < Sums::kGreatest;
      for (std::uint32_t distance = 16; distance > 0; distance /= 2) {
        const unsigned long long other = __shfl_xor_sync(kFullWarp, number, distance);
        number = adds ? number + other : max(number, other);
      }
      if (lane_of_warp() != 0 || number == 0) continue;
      if (adds)
        atomicAdd(all + i, number);
      else
        atomicMax(all + i, number);
    }
  }
}

}  // namespace frond::leaf::gpu::counts
