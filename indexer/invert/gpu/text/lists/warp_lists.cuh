#pragma once
// What the warps do that code lists: sums over lanes, Rice codes of up to 128 numbers (common/codec/bits/rice.h). All
// 32 lanes call together. Lane t has numbers 4 t .. 4 t + 3; behind `count` they are 0.
#include "common/device/warp.cuh"

namespace frond::indexer::invert::gpu {

using device::Four;
using device::kFullWarp;

__device__ inline unsigned long long warp_sum(unsigned long long own) {
  for (int distance = 16; distance > 0; distance /= 2) own += __shfl_xor_sync(kFullWarp, own, distance);
  return own;
}
__device__ inline std::uint32_t warp_min(std::uint32_t own) {
  for (int distance = 16; distance > 0; distance /= 2) own = min(own, __shfl_xor_sync(kFullWarp, own, distance));
  return own;
}
__device__ inline std::uint32_t warp_or(std::uint32_t own) {
  for (int distance = 16; distance > 0; distance /= 2) own |= __shfl_xor_sync(kFullWarp, own, distance);
  return own;
}
__device__ inline std::uint32_t width_of(std::uint32_t bits) { return 32 - __clz(static_cast<int>(bits)); }

// Sets bits of zeros. value: less than 2^width.
__device__ inline void put_bits(std::uint32_t* words, std::uint32_t at, std::uint32_t value, std::uint32_t width) {
  if (width == 0) return;
  const std::uint64_t bits = std::uint64_t{value} << (at % 32);
  atomicOr(words + at / 32, static_cast<std::uint32_t>(bits));
  if (bits >> 32 != 0) atomicOr(words + at / 32 + 1, static_cast<std::uint32_t>(bits >> 32));
}

struct RiceCode {
  std::uint32_t parameter = 0;
  unsigned long long bits = 0;
};

__device__ inline unsigned long long rice_bits(const Four& numbers, std::uint32_t count, std::uint32_t parameter) {
  unsigned long long own = 0;
  for (const std::uint32_t number : numbers.at) own += number >> parameter;
  return warp_sum(own) + static_cast<unsigned long long>(count) * (parameter + 1);
}

// As codec::choose_rice().
__device__ inline RiceCode choose_rice(const Four& numbers, std::uint32_t count) {
  unsigned long long own = 0;
  for (const std::uint32_t number : numbers.at) own += number;
  const std::uint32_t mean = width_of(static_cast<std::uint32_t>(warp_sum(own) / count));
  RiceCode best;
  best.parameter = mean > 0 ? mean - 1 : 0;
  best.bits = rice_bits(numbers, count, best.parameter);
  bool moved = false;
  while (best.parameter < 31) {
    const unsigned long long bits = rice_bits(numbers, count, best.parameter + 1);
    if (bits >= best.bits) break;
    best = {best.parameter + 1, bits};
    moved = true;
  }
  while (!moved && best.parameter > 0) {
    const unsigned long long bits = rice_bits(numbers, count, best.parameter - 1);
    if (bits > best.bits) break;
    best = {best.parameter - 1, bits};
  }
  return best;
}

// Sets the bits of the code, which begins with bit `from` of zeros.
__device__ inline void put_rice(std::uint32_t* words, std::uint32_t from, const Four& numbers, std::uint32_t count,
                                std::uint32_t parameter, std::uint32_t lane) {
  const std::uint32_t low = (1u << parameter) - 1;
  std::uint32_t own = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (4 * lane + i >= count) continue;
    put_bits(words, from + (4 * lane + i) * parameter, numbers.at[i] & low, parameter);
    own += (numbers.at[i] >> parameter) + 1;
  }
  std::uint32_t at = from + count * parameter + device::sum_before(own, lane);
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (4 * lane + i >= count) continue;
    at += numbers.at[i] >> parameter;
    atomicOr(words + at / 32, 1u << (at % 32));
    ++at;
  }
}

}  // namespace frond::indexer::invert::gpu
