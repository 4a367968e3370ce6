#pragma once
// The kernel of ORs that are summed (batch.h), for lists that `Lists` reads (packed_lists.cuh), and its launcher.
//
// A thread block takes a query and a tile of documents. It finds each list's blocks there, decodes them, a warp a
// block, and adds their contributions to the tile's sums in shared memory. What reaches the threshold goes to the
// query's bins, but only as much as may still be among the k best of the tile; the bins raise the threshold, and what
// reaches that becomes a candidate. The thread blocks of a tile and different queries follow each other: so lists are
// read from the cache, and a query's threshold has risen before most of its tiles begin.
#include "common/device/large_shared.cuh"
#include "leaf/gpu/document_order.h"
#include "leaf/gpu/search/warp_state.cuh"

namespace frond::leaf::gpu::search {

// Shared memory of a thread block: scores of kDocuments documents, and what adds them up. counts/tile_scores.cuh has it
// too.
template <class Lists, std::uint32_t kThreads, std::uint32_t kDocuments>
struct alignas(16) TileSums {
  static constexpr std::uint32_t kWarps = kThreads / 32, kFours = kDocuments / 4;
  static_assert(kFours % kThreads == 0 && kThreads >= 2 * kMaxQueryTerms && kMaxQueryTerms == 64);
  Score sums[kDocuments];
  std::uint32_t found[2][kMaxQueryTerms];  // by term: the blocks of the tile's first and last document
  std::uint32_t ends[kMaxQueryTerms];      // the tile's blocks of this term and those before it
  std::uint32_t offsets[kMaxQueryTerms];   // added to a number of these, the block's number in its list
  typename Lists::Scratch scratch[kWarps];
};

template <class Lists, std::uint32_t kThreads, std::uint32_t kDocuments>
struct SumSpace : TileSums<Lists, kThreads, kDocuments> {
  std::uint32_t bins[kBins];
  std::uint32_t any;  // whether there are candidates
  Score threshold;
};

struct SumTile {
  DocId first;
  std::uint32_t documents;
};

template <std::uint32_t kThreads, class Space>
__device__ void clear_sums(Space& space) {
  for (std::uint32_t i = threadIdx.x; i < Space::kFours; i += kThreads)
    reinterpret_cast<uint4*>(space.sums)[i] = make_uint4(0, 0, 0, 0);
}

// Finds the blocks of so many terms that may have documents of the tile. Ends with a barrier.
template <class Space>
__device__ void find_blocks(const TermOnDevice* terms, std::uint32_t count, const SumTile& tile, Space& space) {
  const std::uint32_t number = threadIdx.x % kMaxQueryTerms, end = threadIdx.x / kMaxQueryTerms;
  if (end < 2) {
    std::uint32_t block = 0;
    if (number < count) {
      const DeviceList& list = terms[number].list;
      const DocId docid = end == 0 ? tile.first : tile.first + tile.documents - 1;
      block = block_of(list, docid, range_of(list, docid));
      if (end == 1) block = min(block + 1, list.block_count);
    }
    space.found[end][number] = block;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    const std::uint32_t lane = threadIdx.x, term = 2 * lane;
    const std::uint32_t one = space.found[1][term] - space.found[0][term];
    const std::uint32_t other = space.found[1][term + 1] - space.found[0][term + 1];
    const std::uint32_t before = sum_before(one + other, lane);
    space.ends[term] = before + one;
    space.ends[term + 1] = before + one + other;
    space.offsets[term] = space.found[0][term] - before;
    space.offsets[term + 1] = space.found[0][term + 1] - (before + one);
  }
  __syncthreads();
}

// One of the tile's blocks, with what is loaded to find its numbers.
struct SumBlock {
  const TermOnDevice* term;
  std::uint32_t block, before;
  BlockEntry entry;
};

struct AllPlaces {
  __device__ bool operator()(std::uint32_t) const { return true; }
};

// The warp: adds the contributions of the block's documents at wanted places of the tile to their sums.
template <class Lists, class Wanted>
__device__ inline void add_block(const QueryOnDevice& query, const SumBlock& at, const SumTile& tile, Score* sums,
                                 typename Lists::Scratch& scratch, const Wanted& wanted) {
  const TermOnDevice& term = *at.term;
  const std::uint32_t lane = lane_of_warp(), size = size_of(at.entry);
  Four docids, frequencies;
  Lists::docids(term.list, at.block, at.entry, at.before, lane, scratch, docids);
  Lists::frequencies(term.list, at.block, at.entry, lane, scratch, frequencies);
  const auto add_each = [&](const auto& contribution) {
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t place = docids.at[i] - tile.first;
      if (4 * lane + i < size && place < tile.documents && wanted(place)) atomicAdd(sums + place, contribution(i));
    }
  };
  if (scoring::is_of_impacts(query.norm)) {
    const auto weight = static_cast<Score>(term.weight * 0x1p-32f);
    add_each([&](std::uint32_t i) { return weight * (frequencies.at[i] + 1); });
  } else {
    add_each([&](std::uint32_t i) { return score_posting<Lists>(query, term, frequencies.at[i] + 1, docids.at[i]); });
  }
}

// Adds all lists' contributions to the sums of the tile's documents, or of those at wanted places. `terms`: of the
// query.
template <class Lists, class Space, class Wanted = AllPlaces>
__device__ void add_blocks(const QueryOnDevice& query, const TermOnDevice* terms, const SumTile& tile, Space& space,
                           const Wanted& wanted = {}) {
  const std::uint32_t lane = lane_of_warp(), warp = threadIdx.x / 32;
  const std::uint32_t one = space.ends[2 * lane], other = space.ends[2 * lane + 1];
  const std::uint32_t blocks = space.ends[kMaxQueryTerms - 1];
  const auto load = [&](std::uint32_t number) {
    const std::uint32_t term = static_cast<std::uint32_t>(__popc(__ballot_sync(kFullWarp, one <= number)) +
                                                          __popc(__ballot_sync(kFullWarp, other <= number)));
    SumBlock at{terms + term, number + space.offsets[term], 0, {}};
    const BlockEntry* const entries = at.term->list.blocks;
    at.before = docid_before(entries, at.block);
    at.entry = load_entry(entries + at.block);
    return at;
  };
  if (warp >= blocks) return;
  SumBlock next = load(warp);  // loaded while the block before it is added
  for (std::uint32_t number = warp; number < blocks; number += Space::kWarps) {
    const SumBlock at = next;
    if (number + Space::kWarps < blocks) next = load(number + Space::kWarps);
    add_block<Lists>(query, at, tile, space.sums, space.scratch[warp], wanted);
  }
}

// The whole score of a document with this sum; 0: it is no candidate.
__device__ inline Score candidate_score(const QueryOnDevice& query, DocId docid, Score sum, Score threshold) {
  if (sum == 0) return 0;
  if (query.priors != nullptr) sum = scoring::with_prior(sum, prior_score(query, docid));
  if (query.tied != 0) sum = score_with_ties(sum, query.tied, docid, query.origin);
  return sum < threshold || is_hidden(query, docid) ? 0 : sum;
}

// Puts whole scores in the place of sums, counts those that reach the threshold in the block's bins, and sets
// Space::any if there are some.
template <std::uint32_t kThreads, class Space>
__device__ void count_candidates(const QueryOnDevice& query, const SumTile& tile, Space& space) {
  const Score threshold = space.threshold;
  // Of a sum: less may be a candidate's if its score is another.
  const Score least = query.priors == nullptr && query.tied == 0 ? threshold : 1;
  bool any = false;
  for (std::uint32_t i = threadIdx.x; i < Space::kFours; i += kThreads) {
    uint4& four = reinterpret_cast<uint4*>(space.sums)[i];
    const uint4 own = four;
    if (max(max(own.x, own.y), max(own.z, own.w)) < least) continue;
    const auto candidate = [&](std::uint32_t number, Score sum) {
      const Score score = candidate_score(query, tile.first + 4 * i + number, sum, threshold);
      if (score == 0) return score;
      atomicAdd(space.bins + bin_of(query, score), 1u);
      any = true;
      return score;
    };
    four = make_uint4(candidate(0, own.x), candidate(1, own.y), candidate(2, own.z), candidate(3, own.w));
  }
  if (any) space.any = 1;
}

// Raises the block's threshold and the query's by the tile's scores. Ends with a barrier.
template <std::uint32_t kThreads, class Space>
__device__ void raise_threshold(const TaskQuery& of, Space& space) {
  if (threadIdx.x < 32) {
    const auto load = [&space](std::uint32_t first) { return *reinterpret_cast<const uint4*>(space.bins + first); };
    const Score raised = threshold_of(load, of.query, threadIdx.x);
    if (threadIdx.x == 0) space.threshold = max(space.threshold, raised);
  }
  __syncthreads();
  std::uint32_t* const bins = of.batch.bins + std::size_t{of.number} * kBins;
  for (std::uint32_t i = bin_of(of.query, space.threshold) + threadIdx.x; i < kBins; i += kThreads)
    if (space.bins[i] != 0) atomicAdd(bins + i, space.bins[i]);
  __syncthreads();
  if (threadIdx.x < 32) {
    const Score raised = threshold_of_query(of.batch, of.number, threadIdx.x);
    if (threadIdx.x == 0) {
      space.threshold = max(space.threshold, raised);
      atomicMax(&of.state->threshold, raised);
    }
  }
  __syncthreads();
}

template <std::uint32_t kThreads, class Space>
__device__ void emit_candidates(const TaskQuery& of, const SumTile& tile, const Space& space) {
  const Score threshold = space.threshold;
  for (std::uint32_t i = threadIdx.x; i < Space::kFours; i += kThreads) {
    const uint4 own = reinterpret_cast<const uint4*>(space.sums)[i];
    if (!__any_sync(kFullWarp, max(max(own.x, own.y), max(own.z, own.w)) >= threshold)) continue;
    const Score scores[4] = {own.x, own.y, own.z, own.w};
#pragma unroll
    for (std::uint32_t k = 0; k < 4; ++k)
      write_candidates(of, tile.first + 4 * i + k, scores[k], scores[k] >= threshold);
  }
}

// Mapping: a thread block of kThreads threads for each tile and summed query. Result: candidates, bins, thresholds and
// runs in device memory (batch.h). Shared memory: a SumSpace, of which a processor of an H200 has room for two.
template <class Lists, std::uint32_t kThreads, std::uint32_t kDocuments>
__global__ void __launch_bounds__(kThreads, 2) sum_tile(BatchOnDevice batch) {
  using Space = SumSpace<Lists, kThreads, kDocuments>;
  Space& space = device::space_of_block<Space>();
  const std::uint32_t number = batch.summed[blockIdx.x % batch.summed_queries];
  const QueryOnDevice& query = batch.queries[number];
  const DocId first = blockIdx.x / batch.summed_queries * kDocuments;
  if (first >= query.documents) return;
  const TaskQuery of{batch, query, batch.terms + query.first_term, batch.states + number, number};
  const SumTile tile{first, min(query.documents - first, kDocuments)};
  clear_sums<kThreads>(space);
  for (std::uint32_t i = threadIdx.x; i < kBins; i += kThreads) space.bins[i] = 0;
  if (threadIdx.x == 0) space.any = 0;
  find_blocks(of.terms, query.terms, tile, space);
  const std::uint32_t blocks = space.ends[kMaxQueryTerms - 1];
  if (blocks == 0) return;
  add_blocks<Lists>(query, of.terms, tile, space);
  if (threadIdx.x == 0) {
    atomicAdd(&of.state->runs, blocks * kRuns);
    space.threshold = max(__ldcg(&of.state->threshold), 1u);  // the sum of a document that matches is above 0
  }
  __syncthreads();
  count_candidates<kThreads>(query, tile, space);
  __syncthreads();
  if (space.any == 0) return;
  raise_threshold<kThreads>(of, space);
  emit_candidates<kThreads>(of, tile, space);
}

template <class Lists, std::uint32_t kThreads, std::uint32_t kDocuments>
Result<void> launch_sums(const BatchOnDevice& batch, device::StreamHandle stream) {
  const std::uint32_t tiles = (batch.summed_documents + kDocuments - 1) / kDocuments;
  return device::launch_with_space<SumSpace<Lists, kThreads, kDocuments>>(
      "sum_scores", sum_tile<Lists, kThreads, kDocuments>, tiles * batch.summed_queries, kThreads, stream, batch);
}

}  // namespace frond::leaf::gpu::search
