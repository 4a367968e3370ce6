#pragma once
// Decodes Rice codes (common/codec/bits/rice.h) with a warp. Each lane counts the ones in 16 bits of the unary part. A
// prefix sum of the counts says which number each one ends, and so where a number's unary part begins and ends. (Ding
// et al. 2009 §6.1.)
#include "common/codec/bits/rice.h"
#include "common/device_codec/block_of_list.cuh"

namespace frond::device_codec {

// Writes the positions of the first `count` <= 128 ones of bits [begin, end) to ones[], from `begin` modulo 2^32.
// Returns the number of ones; it stops counting when it has `count` or more. ones: shared memory of the warp.
__device__ inline std::uint32_t find_ones(StreamWords stream, std::uint64_t begin, std::uint64_t end,
                                          std::uint32_t count, std::uint32_t lane, std::uint32_t* ones) {
  std::uint32_t found = 0;
  __syncwarp();
  for (std::uint64_t from = begin; from < end && found < count; from += 512) {
    const std::uint64_t own = from + 16 * lane;
    std::uint32_t bits = own < end ? stream.bits(own, 16) : 0;
    if (own < end && end - own < 16) bits &= (1u << (end - own)) - 1;
    const auto some = static_cast<std::uint32_t>(__popc(bits));
    std::uint32_t index = found + sum_before(some, lane);
    found = __shfl_sync(kFullWarp, index + some, 31);
    for (; bits != 0; bits &= bits - 1, ++index)
      if (index < count)
        ones[index] =
            static_cast<std::uint32_t>(own - begin) + static_cast<std::uint32_t>(__ffs(static_cast<int>(bits)) - 1);
  }
  __syncwarp();
  return found;
}

// The unary part of number `index`.
__device__ inline std::uint32_t unary_part(const std::uint32_t* ones, std::uint32_t index) {
  return index == 0 ? ones[0] : ones[index] - ones[index - 1] - 1;
}

// Decodes `count` >= 1 numbers from bit `from` on; parameter <= 31. `numbers` gets this lane's numbers, 0 behind the
// last. Returns the bit behind the code; 0: the code does not end by bit `end`.
__device__ __attribute__((noinline)) inline std::uint64_t decode_rice(StreamWords stream, std::uint64_t from,
                                                                      std::uint64_t end, std::uint32_t parameter,
                                                                      std::uint32_t count, std::uint32_t lane,
                                                                      std::uint32_t* ones, Four& numbers) {
  const std::uint64_t unary = from + std::uint64_t{parameter} * count;
  if (unary >= end || find_ones(stream, unary, end, count, lane, ones) < count) return 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t index = 4 * lane + i;
    numbers.at[i] = index < count ? unary_part(ones, index) << parameter |
                                        stream.bits(from + std::uint64_t{index} * parameter, parameter)
                                  : 0;
  }
  return unary + ones[count - 1] + 1;
}

// Decodes a last block that is not full (common/codec/last_block.h), from byte `begin` of `payload`. False: corrupt.
__device__ inline bool decode_last_block(StreamWords stream, std::uint64_t begin, std::uint64_t payload,
                                         std::uint32_t parameter, std::uint32_t size, std::uint32_t lane,
                                         std::uint32_t* ones, Four& numbers) {
  return parameter <= 31 && begin <= payload &&
         decode_rice(stream, begin * 8, payload * 8, parameter, size, lane, ones, numbers) != 0;
}

}  // namespace frond::device_codec
