#pragma once
// What the warps do that code lists: sums over lanes, Rice codes of up to 128 numbers (common/codec/bits/rice.h). All
// 32 lanes call together. Lane t has numbers 4 t .. 4 t + 3; behind `count` they are 0.
#include "common/codec/list_codec.h"
#include "common/device/warp.cuh"
#include "common/scoring/bm25.h"
#include "indexer/invert/gpu/text/lists/list_kernels.h"

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

// What warps and thread blocks that code pieces of lists have in common. For .cu files. Where warps are meant, all 32
// lanes call together.

constexpr std::uint32_t kBlock = codec::kBlockLength;

struct Postings {
  const DocId* docids;
  const Frequency* frequencies;
  const std::uint32_t* deficits;
  std::uint32_t count;
};
__device__ inline Postings postings_of(const ListWindow& window, const ListPiece& piece) {
  return {window.docids + piece.begin, window.sums + piece.begin, window.deficits + piece.begin, piece.count};
}

// Where blobs go: a multiple of 4 bytes each.
__device__ inline void note_size(const ListWindow& window, std::uint32_t place, const ListPiece& piece) {
  window.pieces[place] = piece;
  window.offsets[place] = (piece.bytes + 3) / 4 * 4;
}

// Distances less one of block `block`; 0 behind its end.
__device__ inline Four docid_distances(const Postings& all, std::uint32_t block, std::uint32_t lane) {
  Four numbers;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t at = block * kBlock + 4 * lane + i;
    numbers.at[i] = at < all.count ? all.docids[at] - (at > 0 ? all.docids[at - 1] : kNoDoc) - 1 : 0;
  }
  return numbers;
}
__device__ inline Four frequency_distances(const Postings& all, std::uint32_t block, std::uint32_t lane) {
  Four numbers;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t at = block * kBlock + 4 * lane + i;
    numbers.at[i] = at < all.count ? all.frequencies[at] - 1 : 0;
  }
  return numbers;
}
__device__ inline std::uint32_t least_deficit(const Postings& all, std::uint32_t block, std::uint32_t lane) {
  std::uint32_t least = 0xffffffffu;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t at = block * kBlock + 4 * lane + i;
    if (at < all.count) least = min(least, all.deficits[at]);
  }
  return warp_min(least);
}
// The first `bytes` of words to memory that is aligned for words.
__device__ inline void copy_words(const std::uint32_t* words, std::uint32_t bytes, std::uint32_t* to,
                                  std::uint32_t lane) {
  __syncwarp();
  for (std::uint32_t i = lane; i < (bytes + 3) / 4; i += 32) to[i] = words[i];
  __syncwarp();
}
__device__ inline void clear_words(std::uint32_t* words, std::uint32_t count, std::uint32_t lane) {
  for (std::uint32_t i = lane; i < count; i += 32) words[i] = 0;
  __syncwarp();
}

}  // namespace frond::indexer::invert::gpu
