#pragma once
// How a thread block of the kernel that counts keeps the k first documents of its tiles, and hands them on.
#include <type_traits>

#include "leaf/gpu/counts/first_keys.cuh"

namespace frond::leaf::gpu::counts {

__device__ inline std::uint64_t code_at(const std::byte* codes, std::uint32_t width, std::uint32_t place) {
  switch (width) {
    case 1:
      return __ldg(reinterpret_cast<const std::uint8_t*>(codes) + place);
    case 2:
      return __ldg(reinterpret_cast<const std::uint16_t*>(codes) + place);
    case 4:
      return __ldg(reinterpret_cast<const std::uint32_t*>(codes) + place);
    default:
      return __ldg(reinterpret_cast<const std::uint64_t*>(codes) + place);
  }
}

// What key_of() takes for the parts of scores where there are none.
struct NoScores {};

// A document's key: that of engine::CodeOrder. score_part(key): its part of a key that is the score.
template <class ScorePart>
__device__ inline std::uint64_t key_of(const KeyOnDevice* keys, std::uint32_t count, DocId docid,
                                       const ScorePart& score_part) {
  const auto part_of = [&](const KeyOnDevice& key) {
    if constexpr (!std::is_same_v<ScorePart, NoScores>)
      if (key.codes == nullptr) return std::uint64_t{score_part(key)};
    const std::uint64_t code = code_at(key.codes, key.width, docid);
    return code == 0 ? key.missing : key.descending != 0 ? key.end - code : code;
  };
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const KeyOnDevice key = keys[i];
    const std::uint64_t part = part_of(key);
    all = key.bits < 64 ? all << key.bits | part : part;
  }
  return all;
}

// One thread; a barrier is to follow. Takes over what other thread blocks have found of the query meanwhile.
__device__ inline void lower_limit(const CountBatch& batch, std::uint32_t query, FirstKeys& kept) {
  const std::uint64_t limit = __ldcg(batch.limits + query);
  if (limit >= kept.last_key) return;
  kept.last_key = limit;
  kept.last_tie = ~0u;
}

// keep_first(), and tells other thread blocks.
template <std::uint32_t kThreads>
__device__ void keep_and_tell(const CountBatch& batch, std::uint32_t query, std::uint32_t k, FirstKeys& kept) {
  if (keep_first<kThreads>(kept, k) && threadIdx.x == 0)
    atomicMin(reinterpret_cast<unsigned long long*>(batch.limits + query), kept.last_key);
}

// Keeps the first of the documents found, none of which is hidden, by key(docid). Word w of the tile is thread w %
// kThreads's. All threads of the block; ends with a barrier.
template <std::uint32_t kThreads, class Space, class Key>
__device__ void keep_found(const CountBatch& batch, std::uint32_t number, const CountedQuery& query, DocId first,
                           std::uint32_t words, Space& space, std::uint32_t& step, const Key& key_at) {
  std::uint32_t word = threadIdx.x, bits = word < words ? space.found[word] : 0;
  for (;;) {
    while (word < words) {
      if (bits == 0) {
        word += kThreads;
        bits = word < words ? space.found[word] : 0;
        continue;
      }
      const DocId docid = first + 32 * word + static_cast<std::uint32_t>(__ffs(static_cast<int>(bits))) - 1;
      const std::uint32_t tie = query.last_first != 0 ? ~docid : docid;
      const std::uint64_t key = key_at(docid);
      if (!comes_first(key, tie, query.after_key, query.after_tie) && !offer(space.kept, key, tie)) break;
      bits &= bits - 1;
    }
    if (!are_left(space.any, step, word < words)) return;
    keep_and_tell<kThreads>(batch, number, query.k, space.kept);
  }
}

// What a thread block keeps of its piece, to device memory. All its threads, behind a barrier.
template <std::uint32_t kThreads>
__device__ void hand_on(const CountBatch& batch, std::uint32_t number, std::uint32_t piece, std::uint32_t k,
                        FirstKeys& kept) {
  if (kept.count > k) keep_and_tell<kThreads>(batch, number, k, kept);
  const std::uint32_t of = number * batch.pieces + piece;
  const std::size_t to = std::size_t{of} * batch.most_hits;
  for (std::uint32_t i = threadIdx.x; i < kept.count; i += kThreads) {
    batch.first_keys[to + i] = kept.keys[i];
    batch.kept_ties[to + i] = kept.ties[i];
  }
  if (threadIdx.x == 0) batch.held[of] = kept.count;
}

// The first of what all thread blocks of a query have handed on. All threads of one block, behind a barrier; ends with
// one. `kept` has been cleared, `any` is are_left()'s.
template <std::uint32_t kThreads>
__device__ void put_together(const CountBatch& batch, std::uint32_t number, std::uint32_t k, FirstKeys& kept,
                             std::uint32_t* any) {
  const std::uint32_t* const held = batch.held + std::size_t{number} * batch.pieces;
  const std::size_t from = std::size_t{number} * batch.pieces * batch.most_hits;
  const std::uint32_t places = batch.pieces * batch.most_hits;
  std::uint32_t step = 0, at = threadIdx.x;
  for (;;) {
    for (; at < places; at += kThreads) {
      if (at % batch.most_hits >= held[at / batch.most_hits]) continue;
      if (!offer(kept, batch.first_keys[from + at], batch.kept_ties[from + at])) break;
    }
    if (!are_left(any, step, at < places)) break;
    keep_first<kThreads>(kept, k);
  }
  keep_first<kThreads>(kept, k);
}

}  // namespace frond::leaf::gpu::counts
