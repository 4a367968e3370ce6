#pragma once
// What warps and thread blocks that code pieces of lists have in common. For .cu files. Where warps are meant, all 32
// lanes call together.
#include "common/codec/list_codec.h"
#include "common/scoring/bm25.h"
#include "indexer/invert/gpu/text/lists/lists_on_device.h"
#include "indexer/invert/gpu/text/lists/warp_lists.cuh"

namespace frond::indexer::invert::gpu {

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
