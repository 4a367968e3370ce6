#pragma once
// Search, warp layer: the data that one warp works with during one task (batch.h). The three steps that work on it are
// in warp_gather.cuh, warp_look_up.cuh and warp_emit.cuh; warp_task.cuh runs them in turn.
//
// Mapping: one warp a task. All 32 lanes call every function of this layer together, with equal arguments unless a
// comment names the lane's own; returned counts are equal in all lanes.
// Result: candidates go to the batch's keys in device memory; before that they are in the warp's Held.
// Shared memory: one Held a warp, 2,560 bytes, aligned to 16. Each step of settle() (warp_task.cuh) begins and ends
// with all lanes' writes visible to all lanes.
#include "leaf/gpu/search/packed_lists.cuh"
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

}  // namespace frond::leaf::gpu::search
