#pragma once
// How a thread block of the kernel that counts keeps the k first documents of its tiles where scores are among the
// keys: it adds up the scores of a tile's documents as search/sum_kernel.cuh does, in shared memory.
#include "leaf/gpu/counts/order_kernel.cuh"
#include "leaf/gpu/search/sum_kernel.cuh"

namespace frond::leaf::gpu::counts {

// Takes those out of the documents found that come behind the limit whatever their scores are, which begins with the
// keys before the score. Whether some are left to the thread.
template <std::uint32_t kThreads, class Space>
__device__ bool drop_behind(const CountBatch& batch, const CountedQuery& query, DocId first, std::uint32_t words,
                            Space& space) {
  const KeyOnDevice* const keys = batch.keys + query.first_key;
  const bool score_first = keys[0].codes == nullptr;
  bool some = false;
  for (std::uint32_t word = threadIdx.x; word < words; word += kThreads) {
    std::uint32_t kept = space.found[word];
    for (std::uint32_t bits = score_first ? 0 : kept; bits != 0; bits &= bits - 1) {
      const DocId docid = first + 32 * word + static_cast<std::uint32_t>(__ffs(static_cast<int>(bits))) - 1;
      const std::uint64_t key = key_of(keys, query.keys, docid, [](const KeyOnDevice&) { return 0u; });
      if (comes_first(space.kept.last_key, space.kept.last_tie, key, query.last_first != 0 ? ~docid : docid))
        kept &= ~(bits & (0u - bits));
    }
    space.found[word] = kept;
    some = some || kept != 0;
  }
  return some;
}

// As keep_found().
template <class Lists, std::uint32_t kThreads, class Space>
__device__ void keep_scored(const CountBatch& batch, std::uint32_t number, const CountedQuery& query,
                            const search::SumTile& tile, std::uint32_t words, Space& space, std::uint32_t& step) {
  const QueryOnDevice& scored = batch.scored[number];
  const TermOnDevice* const terms = batch.terms + scored.first_term;
  const bool some = drop_behind<kThreads>(batch, query, tile.first, words, space);
  search::clear_sums<kThreads>(space.scores);
  if (!are_left(space.any, step, some)) return;
  search::find_blocks(terms, scored.terms, tile, space.scores);
  search::add_blocks<Lists>(scored, terms, tile, space.scores, [&space](std::uint32_t place) {
    return (space.found[place / 32] >> (place % 32) & 1) != 0;
  });
  __syncthreads();
  keep_found<kThreads>(batch, number, query, tile.first, words, space, step, [&](DocId docid) {
    scoring::Score score = space.scores.sums[docid - tile.first];
    if (scored.priors != nullptr) score = scoring::with_prior(score, search::prior_score(scored, docid));
    return key_of(batch.keys + query.first_key, query.keys, docid,
                  [score](const KeyOnDevice& key) { return key.descending != 0 ? key.end - score : score; });
  });
}

// The score that a document's key has.
__device__ inline scoring::Score score_in(const KeyOnDevice* keys, std::uint32_t count, std::uint64_t key) {
  std::uint32_t shift = 0;
  for (; count-- > 0; shift += keys[count].bits) {
    const KeyOnDevice its = keys[count];
    if (its.codes != nullptr) continue;
    const std::uint64_t part = its.bits == 0 ? 0 : key >> shift & ~std::uint64_t{0} >> (64 - its.bits);
    return static_cast<scoring::Score>(its.descending != 0 ? its.end - part : part);
  }
  return 0;
}

}  // namespace frond::leaf::gpu::counts
