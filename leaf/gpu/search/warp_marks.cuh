#pragma once
// Search, warp layer: documents of lists that all have a mark a document (warp_unranked.cuh), found by combining the
// marks: 32 documents with one operation, and no list is decoded. AND: documents with all marks. OR: documents that the
// first list does not have and one of the others has. Without those that are hidden.
//
// Mapping and results: warp_state.cuh; a task is some kMarksBlock documents, lane t has every 32nd word of their marks.
// Shared memory: none.
#include "leaf/gpu/document_order.h"
#include "leaf/gpu/search/thread.cuh"
#include "leaf/gpu/search/warp_state.cuh"

namespace frond::leaf::gpu::search {

// The documents of one word: a bit each.
__device__ inline std::uint32_t combined_marks(const TaskQuery& of, std::uint32_t word) {
  const std::uint32_t first = __ldg(of.terms[0].list.marks + word);
  std::uint32_t others = of.query.conjunction ? first : 0;
  for (std::uint32_t i = 1; i < of.query.by_marks; ++i) {
    const std::uint32_t marks = __ldg(of.terms[i].list.marks + word);
    others = of.query.conjunction ? others & marks : others | marks;
  }
  return (of.query.conjunction ? others : others & ~first) & ~hidden_word(of.query, word);
}

// Emits those of the documents of each lane's word that may be among the k first.
__device__ inline void emit_marks(const TaskQuery& of, std::uint32_t word, std::uint32_t bits, Progress& progress) {
  progress.threshold = max(progress.threshold, read_together(&of.state->threshold));
  for (;;) {
    if (score_in_order(32 * word, of.query.origin) < progress.threshold) bits = 0;  // later documents have lower scores
    if (!__any_sync(kFullWarp, bits != 0)) return;
    const std::uint32_t bit = bits != 0 ? static_cast<std::uint32_t>(__ffs(static_cast<int>(bits)) - 1) : 0;
    const Score score = score_in_order(32 * word + bit, of.query.origin);
    emit(of, 32 * word + bit, score, bits != 0 && score >= progress.threshold, progress);
    bits &= bits - 1;
  }
}

// A whole task. Adds its matches to the query's if progress.counting.
__device__ inline void run_marks_task(const TaskQuery& of, const TaskRange& range, Progress& progress) {
  const std::uint32_t lane = lane_of_warp(), words = (of.query.documents + 31) / 32;
  constexpr std::uint32_t kWords = kMarksBlock / 32;
  const std::uint32_t begin = range.first_block * kWords, end = min(begin + range.max_blocks * kWords, words);
  std::uint32_t matches = 0;
  for (std::uint32_t from = begin; from < end; from += 32) {
    const bool early = of.query.k > 0 && score_in_order(32 * from, of.query.origin) >= progress.threshold;
    if (!early && !progress.counting) break;
    const std::uint32_t word = from + lane;
    const std::uint32_t bits = word < end ? combined_marks(of, word) : 0;
    matches += static_cast<std::uint32_t>(__popc(bits));
    if (early) emit_marks(of, word, bits, progress);
  }
  if (!progress.counting) return;
  matches = __reduce_add_sync(kFullWarp, matches);
  if (lane == 0 && matches > 0) atomicAdd(&of.state->matches, matches);
}

}  // namespace frond::leaf::gpu::search
