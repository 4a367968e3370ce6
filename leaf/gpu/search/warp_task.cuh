#pragma once
// Search, warp layer: a whole task. Blocks of the driving list are gathered until Held is nearly full, then the held
// documents are looked up in the query's other lists and those left are emitted; and so on.
// Mapping, results and shared memory: warp_state.cuh.
#include "leaf/gpu/search/priors.cuh"
#include "leaf/gpu/search/warp_emit.cuh"
#include "leaf/gpu/search/warp_gather.cuh"
#include "leaf/gpu/search/warp_hidden.cuh"
#include "leaf/gpu/search/warp_look_up.cuh"

namespace frond::leaf::gpu::search {

// The exact score of a held document, or 0 if it cannot reach the threshold. `score`: as held (Held::scores).
template <class Lists>
__device__ inline Score with_driver(const TaskQuery& of, const TaskRange& range, std::uint32_t place, DocId docid,
                                    Score score, const Progress& progress) {
  const TermOnDevice& driver = of.terms[range.driver];
  const std::uint32_t block = range.first_block + place / codec::kBlockLength;
  const BlockEntry entry = load_entry(driver.list.blocks + block);
  if (score == kNone) return 0;
  const Score open = progress.counting ? max_score_of(driver, entry) + max_prior_of<Lists>(of.query) : 0;
  if (score + open < progress.threshold) return 0;
  const std::uint32_t frequency = Lists::frequency(driver.list, block, entry, place % codec::kBlockLength);
  if (!progress.counting) score -= most_of_posting(of.query, driver, frequency);
  score += scoring::contribution(driver.weight, frequency, __ldg(of.query.lengths + docid), of.query.norm);
  if constexpr (AddsPriors<Lists>) {
    if (of.query.priors == nullptr) return score;
    if (!progress.counting) score -= most_prior_near(of.query, docid);
    score = scoring::with_prior(score, prior_score(of.query, docid));
  }
  return score;
}

// Looks the first `count` held documents up in all other lists and emits those that are left and not hidden. Held is
// free afterwards.
template <class Lists>
__device__ inline void settle(const TaskQuery& of, const TaskRange& range, Held& held, std::uint32_t count,
                              Progress& progress) {
  const std::uint32_t lane = lane_of_warp();
  __syncwarp();
  progress.threshold = max(progress.threshold, read_together(&of.state->threshold));
  // The terms behind the driving one, then those before it.
  for (std::uint32_t i = 1; i < of.query.terms && count > 0; ++i) {
    const std::uint32_t term = range.driver + i, number = term < of.query.terms ? term : term - of.query.terms;
    // gather() has asked the marks of the list behind the driving one.
    if (i > 1 || number == 0) count = sift(of, range, number, held, count, progress);
    count = look_up<Lists>(of, range, number, held, count, progress);
  }
  if (of.query.hidden != nullptr) count = drop_hidden(of.query, held, count);
  if (of.query.conjunction) count_matches(of, count, progress);
  for (std::uint32_t from = 0; from < count; from += 32) {
    const std::uint32_t at = from + lane;
    const bool live = at < count;
    const DocId docid = live ? held.docids[at] : 0;
    Score score = live ? held.scores[at] : 0;
    if (live) score = with_driver<Lists>(of, range, held.places[at], docid, score, progress);
    progress.threshold = max(progress.threshold, read_together(&of.state->threshold));
    emit(of, docid, score, live && score >= progress.threshold, progress);
  }
  if (progress.enough) progress.counting = false;
  __syncwarp();
}

// Lane t keeps the entry of the task's block t, so all entries come with one load.
template <class Lists>
__device__ inline void run_task(const TaskQuery& of, const TaskRange& range, Held& held,
                                typename Lists::Scratch& scratch, Progress& progress) {
  const TermOnDevice& term = of.terms[range.driver];
  const std::uint32_t lane = lane_of_warp();
  const std::uint32_t blocks = min(range.max_blocks, term.list.block_count - range.first_block);
  const Score most_of_list = term.max_score + term.max_rest + max_prior_of<Lists>(of.query);
  if (!progress.counting && most_of_list < progress.threshold) return;
  BlockEntry entry{};
  std::uint32_t before = 0;
  Score most = 0;
  if (lane < blocks) {
    entry = load_entry(term.list.blocks + range.first_block + lane);
    before = docid_before(term.list.blocks, range.first_block + lane);
    most = max_score_of(term, entry) + term.max_rest;
    if constexpr (AddsPriors<Lists>)
      if (of.query.priors != nullptr) most += most_prior_in(of.query, before + 1, entry.last);
  }
  const auto promising = [&] {  // a bit for each block that may hold a hit, or all while matches are counted
    return __ballot_sync(kFullWarp, lane < blocks && (progress.counting || most >= progress.threshold));
  };
  std::uint32_t left = promising(), count = 0;
  while (left != 0 || count > 0) {
    if (left == 0 || count > kHeld - codec::kBlockLength) {
      settle<Lists>(of, range, held, count, progress);
      left &= promising();
      count = 0;
      continue;
    }
    const int from = __ffs(static_cast<int>(left)) - 1;
    left &= left - 1;
    BlockEntry one{};
    one.docids = __shfl_sync(kFullWarp, entry.docids, from);
    one.frequencies = __shfl_sync(kFullWarp, entry.frequencies, from);
    one.deficit_and_count = __shfl_sync(kFullWarp, entry.deficit_and_count, from);
    const std::uint32_t start = __shfl_sync(kFullWarp, before, from);
    count = gather<Lists>(of, range, one, start, static_cast<std::uint32_t>(from), held, count, scratch, progress);
  }
}

}  // namespace frond::leaf::gpu::search
