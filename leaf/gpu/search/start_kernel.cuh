#pragma once
// The kernel that starts queries, for lists that `Lists` reads (packed_lists.cuh), and its launcher.
#include "common/device/clock.cuh"
#include "common/device/early_launch.cuh"
#include "common/device/launch.cuh"
#include "leaf/gpu/document_order.h"
#include "leaf/gpu/search/packed_lists.cuh"
#include "leaf/gpu/search/thread.cuh"
#include "leaf/gpu/search/threshold.cuh"

namespace frond::leaf::gpu::search {

inline constexpr std::uint32_t kFirstTries = 16;  // of the seed term's best blocks, for few hits of all documents

// How many blocks of the seed term's list are scored.
__device__ inline std::uint32_t tries_of(const BatchOnDevice& batch, const QueryOnDevice& query,
                                         const DeviceList& list) {
  if (batch.unranked) return min(list.block_count, query.k / codec::kBlockLength * 2 + kFirstTries);
  return min(list.best_count, query.k <= 10 && query.hidden == nullptr ? kFirstTries : list.best_count);
}

// Of a document that no other term of the query has.
template <class Lists>
__device__ inline scoring::Score whole_score(const QueryOnDevice& query, const TermOnDevice& term, Frequency frequency,
                                             DocId docid) {
  const scoring::Score score = score_posting<Lists>(query, term, frequency, docid);
  return query.priors == nullptr ? score : scoring::with_prior(score, prior_score(query, docid));
}

// Adds the documents of one block to the bins, by their scores for this term alone, or unranked by their order. One
// warp.
template <class Lists>
__device__ void score_block(const BatchOnDevice& batch, const QueryOnDevice& query, const TermOnDevice& term,
                            std::uint32_t block, std::uint32_t* bins, std::uint32_t lane,
                            typename Lists::Scratch& scratch) {
  const BlockEntry entry = load_entry(term.list.blocks + block);
  const std::uint32_t before = docid_before(term.list.blocks, block);
  Four docids, frequencies{};
  Lists::docids(term.list, block, entry, before, lane, scratch, docids);
  if (!batch.unranked) Lists::frequencies(term.list, block, entry, lane, scratch, frequencies);
  const std::uint32_t count = size_of(entry);
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (4 * lane + i >= count) break;
    if (is_hidden(query, docids.at[i])) continue;
    const scoring::Score score = batch.unranked ? score_in_order(docids.at[i], query.origin)
                                                : whole_score<Lists>(query, term, frequencies.at[i] + 1, docids.at[i]);
    atomicAdd(bins + bin_of(query, score), 1u);
  }
}

// Copies this thread block's share of the batch's plain data from pinned host memory. For a single query, a separate
// copy in the stream would take several microseconds longer.
template <std::uint32_t kThreads>
__device__ void copy_input(const BatchOnDevice& batch) {
  const auto* from = reinterpret_cast<const uint4*>(batch.staged);
  auto* to = reinterpret_cast<uint4*>(batch.input);
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < batch.input_bytes / 16;
       i += batch.query_count * kThreads)
    to[i] = from[i];
}

// Reads one struct of the plain data into `words`, from pinned host memory: other thread blocks may not have copied it
// to the device yet. The whole thread block calls it.
template <std::uint32_t kThreads, class T>
__device__ void read_staged(const BatchOnDevice& batch, const T* one, std::uint32_t* words) {
  static_assert(sizeof(T) % 4 == 0 && sizeof(T) / 4 <= kThreads);
  const auto* from = batch.staged + (reinterpret_cast<const std::byte*>(one) - batch.input);
  if (threadIdx.x < sizeof(T) / 4) words[threadIdx.x] = reinterpret_cast<const std::uint32_t*>(from)[threadIdx.x];
}

// Of an OR that is not ranked: a score that k documents reach, since one list has k documents up to some docID that are
// not hidden. Read from pinned host memory, as read_staged().
__device__ inline scoring::Score first_of_documents(const BatchOnDevice& batch, const QueryOnDevice& query,
                                                    std::uint32_t lane) {
  scoring::Score best = 0;
  for (std::uint32_t i = lane; i < query.terms && query.k > 0 && !query.conjunction; i += 32) {
    const TermOnDevice* term = batch.terms + query.first_term + i;
    const auto* from = batch.staged + (reinterpret_cast<const std::byte*>(term) - batch.input);
    const DeviceList& list = reinterpret_cast<const TermOnDevice*>(from)->list;
    if (list.count < query.reach) continue;
    const DocId last = __ldg(&list.blocks[(query.reach - 1) / codec::kBlockLength].last);
    best = max(best, score_in_order(last, query.origin));
  }
  for (int by = 16; by > 0; by /= 2) best = max(best, __shfl_xor_sync(kFullWarp, best, by));
  return best;
}

// Mapping: one thread block of kThreads threads a query; a warp scores one block at a time. Result: the query's state
// and bins in device memory. Shared memory: 4,352 bytes, and Lists::Scratch for each warp.
template <class Lists, std::uint32_t kThreads>
__global__ void __launch_bounds__(kThreads) start_query(BatchOnDevice batch) {
  constexpr std::uint32_t kWarps = kThreads / 32;
  __shared__ typename Lists::Scratch scratch[kWarps];
  alignas(16) __shared__ std::uint32_t bins[kBins];
  const std::uint32_t lane = lane_of_warp(), warp = threadIdx.x / 32;
  alignas(16) __shared__ std::uint32_t query_words[sizeof(QueryOnDevice) / 4];
  alignas(16) __shared__ std::uint32_t term_words[sizeof(TermOnDevice) / 4];
  device::admit_kernel_behind();
  const std::uint64_t began_ns = device::nanoseconds_now();
  read_staged<kThreads>(batch, batch.queries + blockIdx.x, query_words);
  copy_input<kThreads>(batch);
  for (std::uint32_t i = threadIdx.x; i < kBins && !batch.counts; i += kThreads) {
    bins[i] = 0;
    batch.bins[std::size_t{blockIdx.x} * kBins + i] = 0;
  }
  __syncthreads();
  const auto& query = *reinterpret_cast<const QueryOnDevice*>(query_words);
  if (query.seed_term < query.terms) {
    read_staged<kThreads>(batch, batch.terms + query.first_term + query.seed_term, term_words);
    __syncthreads();
    const auto& term = *reinterpret_cast<const TermOnDevice*>(term_words);
    const std::uint32_t tries = tries_of(batch, query, term.list);
    for (std::uint32_t i = warp; i < tries; i += kWarps) {
      const std::uint32_t block = batch.unranked ? i : __ldg(term.list.best + i);
      score_block<Lists>(batch, query, term, block, bins, lane, scratch[warp]);
    }
  }
  __syncthreads();
  if (warp != 0) return;
  const auto load = [](std::uint32_t first) { return *reinterpret_cast<const uint4*>(bins + first); };
  scoring::Score first = batch.unranked ? first_of_documents(batch, query, lane) : 0;
  if (!batch.unranked || query.seed_term < query.terms) first = max(first, threshold_of(load, query, lane));
  if (lane == 0 && blockIdx.x == 0)
    *batch.next_place = batch.search_warps;  // each warp begins with the place of its own number
  if (lane == 0) batch.states[blockIdx.x] = {max(first, query.floor), 0, 0, 0, 0, began_ns};
}

template <class Lists, std::uint32_t kThreads>
Result<void> launch_start(const BatchOnDevice& batch, device::StreamHandle stream) {
  return device::launch("start_queries", start_query<Lists, kThreads>, batch.query_count, kThreads, stream, batch);
}

// The kernel that counts how many postings of a list are of hidden documents, for lists that `Lists` reads
// (packed_lists.cuh), and its launcher. A list's length is the number of its documents only without them.

// Mapping: batch.count_blocks thread blocks for each of batch.counted; a warp takes 1,024 documents of a list with a
// mark a document at a time, or else a block of the list. Result: QueryState::hidden_postings. Shared memory:
// Lists::Scratch for each warp.
template <class Lists, std::uint32_t kThreads>
__global__ void __launch_bounds__(kThreads) count_hidden_postings(BatchOnDevice batch) {
  constexpr std::uint32_t kWarps = kThreads / 32;
  __shared__ typename Lists::Scratch scratch[kWarps];
  const std::uint32_t lane = lane_of_warp(), warp = threadIdx.x / 32;
  const std::uint32_t number = batch.counted[blockIdx.x / batch.count_blocks];
  const std::uint32_t first = blockIdx.x % batch.count_blocks * kWarps + warp, step = batch.count_blocks * kWarps;
  const QueryOnDevice& query = batch.queries[number];
  const DeviceList& list = batch.terms[query.first_term].list;
  std::uint32_t count = 0;
  if (list.marks_shift == 0) {
    const std::uint32_t words = (query.documents + 31) / 32;
    for (std::uint32_t word = 32 * first + lane; word < words; word += 32 * step)
      count += static_cast<std::uint32_t>(__popc(__ldg(list.marks + word) & hidden_word(query, word)));
  } else {
    for (std::uint32_t block = first; block < list.block_count; block += step) {
      const BlockEntry entry = load_entry(list.blocks + block);
      Four docids;
      Lists::docids(list, block, entry, docid_before(list.blocks, block), lane, scratch[warp], docids);
      for (std::uint32_t i = 0; i < 4 && 4 * lane + i < size_of(entry); ++i) count += is_hidden(query, docids.at[i]);
    }
  }
  count = __reduce_add_sync(kFullWarp, count);
  if (lane == 0 && count > 0) atomicAdd(&batch.states[number].hidden_postings, count);
}

template <class Lists, std::uint32_t kThreads>
Result<void> launch_count(const BatchOnDevice& batch, device::StreamHandle stream) {
  return device::launch("count_hidden", count_hidden_postings<Lists, kThreads>,
                        batch.counted_queries * batch.count_blocks, kThreads, stream, batch);
}

}  // namespace frond::leaf::gpu::search
