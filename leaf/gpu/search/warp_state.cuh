#pragma once
// Search, warp layer: the data that one warp works with during one task (batch.h). The three steps that work on it are
// in warp_task.cuh, and emit() here.
//
// Mapping: one warp a task. All 32 lanes call every function of this layer together, with equal arguments unless a
// comment names the lane's own; returned counts are equal in all lanes.
// Result: candidates go to the batch's keys in device memory; before that they are in the warp's Held.
// Shared memory: one Held a warp, 2,560 bytes, aligned to 16. Each step of settle() (warp_task.cuh) begins and ends
// with all lanes' writes visible to all lanes.
#include "leaf/gpu/search/packed_lists.cuh"
#include "leaf/gpu/search/thread.cuh"
#include "leaf/gpu/search/threshold.cuh"
#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu::search {

inline constexpr std::uint32_t kHeld = 256;  // documents of the driving list that are looked up together

// Documents of the driving list that may still be hits. The first `count` places are used; the count is in registers.
struct alignas(16) Held {
  DocId docids[kHeld];  // ascending
  // Sum so far: exact but for the driving term's score and the prior, which are bounds (most_of_posting(),
  // most_prior_near()), or missing while matches are counted. kNone: while matches are counted, cannot be among the k
  // best.
  Score scores[kHeld];
  // Index of the block in the task * 128 + index of the posting in the block; kAbsent is added when the document is
  // known not to be in the list that it will be looked up in next.
  std::uint16_t places[kHeld];
};
inline constexpr std::uint16_t kAbsent = 0x8000;
// In kernels with clauses it is added as often as there are terms that the document still needs
// (ClausesOnDevice::minimum).
inline constexpr std::uint16_t kNeeded = 0x1000;
static_assert(kMaxTaskBlocks * codec::kBlockLength <= kNeeded && (kMaxMinimum + 1) * kNeeded <= kAbsent);

// The task's query. Equal in all lanes and constant.
struct TaskQuery {
  const BatchOnDevice& batch;
  const QueryOnDevice& query;
  const TermOnDevice* terms;  // of the query
  QueryState* state;          // shared with other warps
  std::uint32_t number;       // of the query in the batch
};

// The task's part of the driving list. Equal in all lanes and constant.
struct TaskRange {
  std::uint32_t driver;       // term number of the driving list
  std::uint32_t first_block;  // of the task
  std::uint32_t max_blocks;   // fewer at the end of the list
  std::uint32_t split, part;  // only postings of part `part` of 2^split equal parts of each block
};

// What changes while the warp works. Equal in all lanes.
struct Progress {
  Score threshold;  // the query's when it was last read; it may have risen since
  // Every match of this conjunction is counted, so documents below the threshold are looked up too. Held documents then
  // come without the driving term's score and the prior.
  bool counting;
  bool enough = false;     // enough matches are counted: `counting` ends with the documents now held
  std::uint32_t runs = 0;  // runs of 16 postings decoded
};

__device__ inline std::uint32_t lanes_below(std::uint32_t lane) { return (1u << lane) - 1; }

// Reads 32 bits that other warps change, so that all lanes get the same value.
__device__ inline std::uint32_t read_together(const std::uint32_t* from) {
  return __shfl_sync(kFullWarp, __ldcg(from), 0);
}

// Raises the threshold to the query's. Kernels with clauses also rank ties (QueryOnDevice::tied): there the query's is
// one of score_with_ties(), and the warp's stays the tied score.
__device__ inline void read_threshold(const TaskQuery& of, bool ranks_ties, Progress& progress) {
  if (ranks_ties && of.query.tied > 0)
    progress.threshold = of.query.tied;
  else
    progress.threshold = max(progress.threshold, read_together(&of.state->threshold));
}

// Puts the documents of the lanes with `keep` behind the first `kept` of Held, where the lanes have read what was
// there, in their order. Returns the new count.
__device__ inline std::uint32_t keep_held(Held& held, std::uint32_t kept, bool keep, DocId docid, Score score,
                                          std::uint16_t place) {
  const std::uint32_t keepers = __ballot_sync(kFullWarp, keep);
  __syncwarp();  // all lanes have read their documents
  if (keep) {
    const std::uint32_t to = kept + static_cast<std::uint32_t>(__popc(keepers & lanes_below(lane_of_warp())));
    held.docids[to] = docid;
    held.scores[to] = score;
    held.places[to] = place;
  }
  __syncwarp();
  return kept + static_cast<std::uint32_t>(__popc(keepers));
}

// Search, warp layer: hidden documents are taken out of the held ones, once all lists have been asked and before
// anything is counted or emitted. Few are left by then, so the bits of few are loaded.
// Mapping, results and shared memory: warp_state.cuh.

// Removes hidden documents from the first `count` held ones; the query has some. Keeps the order; returns how many
// stay.
__device__ inline std::uint32_t drop_hidden(const QueryOnDevice& query, Held& held, std::uint32_t count) {
  const std::uint32_t lane = lane_of_warp();
  std::uint32_t kept = 0;
  for (std::uint32_t from = 0; from < count; from += 32) {
    const std::uint32_t at = from + lane;
    const bool live = at < count;
    const DocId docid = live ? held.docids[at] : 0;
    const Score score = live ? held.scores[at] : 0;
    const std::uint16_t place = live ? held.places[at] : std::uint16_t{0};
    kept = keep_held(held, kept, live && !is_hidden(query, docid), docid, score, place);
  }
  return kept;
}

// Search, warp layer, step 3: matches are counted, candidates go to device memory, and the threshold rises.
// Mapping: warp_state.cuh. No shared memory. Results are in the batch's keys, bins and the query's state, which all
// warps of the query change by atomic operations.

// How many candidates the query had, and has now.
struct Emitted {
  std::uint32_t before, now;
};
// Adds the document of each lane with `wanted` to the query's candidates. Documents for which there is no room are
// counted, but not written.
__device__ inline Emitted write_candidates(const TaskQuery& of, DocId docid, Score score, bool wanted) {
  const std::uint32_t lane = lane_of_warp();
  const std::uint32_t emitting = __ballot_sync(kFullWarp, wanted);
  if (emitting == 0) return {};
  const auto count = static_cast<std::uint32_t>(__popc(emitting));
  std::uint32_t first = 0;
  if (lane == 0) first = atomicAdd(&of.state->emitted, count);
  first = __shfl_sync(kFullWarp, first, 0);
  const std::uint32_t to = first + static_cast<std::uint32_t>(__popc(emitting & lanes_below(lane)));
  if (wanted && to < of.batch.candidates)
    of.batch.keys[std::size_t{of.number} * of.batch.candidates + to] = std::uint64_t{score} << 32 | (~docid);
  return {first, first + count};
}

// The same, and adds their scores to the query's bins. After each k / 4 candidates (at least 8) the threshold is
// computed from the bins again.
__device__ inline void emit(const TaskQuery& of, DocId docid, Score score, bool wanted, Progress& progress) {
  const std::uint32_t lane = lane_of_warp();
  const Emitted emitted = write_candidates(of, docid, score, wanted);
  if (wanted) atomicAdd(of.batch.bins + std::size_t{of.number} * kBins + bin_of(of.query, score), 1u);
  const std::uint32_t k = of.query.k, step = max(k / 4, 8u);
  if (emitted.now < k || emitted.now / step == emitted.before / step) return;
  const Score raised = threshold_of_query(of.batch, of.number, lane);
  if (lane == 0) atomicMax(&of.state->threshold, raised);
  progress.threshold = max(progress.threshold, raised);
}

// Adds `count` matches to the query's, and finds out whether enough are counted.
__device__ inline void count_matches(const TaskQuery& of, std::uint32_t count, Progress& progress) {
  const std::uint32_t lane = lane_of_warp();
  if (of.query.count_to == kCountAll) {
    if (lane == 0 && count > 0) atomicAdd(&of.state->matches, count);  // result unused, so no lane waits for it
    return;
  }
  std::uint32_t all = 0;
  if (lane == 0) all = (count ? atomicAdd(&of.state->matches, count) : __ldcg(&of.state->matches)) + count;
  progress.enough = __shfl_sync(kFullWarp, all, 0) > of.query.count_to;
}

}  // namespace frond::leaf::gpu::search
