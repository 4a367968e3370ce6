#pragma once
// Search, warp layer, step 2: the held documents are looked up in another list of the query.
// Mapping, results and shared memory: warp_state.cuh. Each lane looks up one document at a time (thread.cuh).
#include "leaf/gpu/search/priors.cuh"
#include "leaf/gpu/search/warp_state.cuh"

namespace frond::leaf::gpu::search {

// Asks the marks of term `number` for the first `count` held documents. Drops those that are no hits if they are not in
// the list, and marks the others that are not there with kAbsent. Keeps their order; returns how many stay.
__device__ inline std::uint32_t sift(const TaskQuery& of, const TaskRange& range, std::uint32_t number, Held& held,
                                     std::uint32_t count, const Progress& progress) {
  const TermOnDevice& term = of.terms[number];
  const std::uint32_t lane = lane_of_warp();
  const bool conjunction = of.query.conjunction, before_driver = number < range.driver;
  constexpr std::uint32_t kLoads = 4;  // in flight
  std::uint32_t kept = 0;
  for (std::uint32_t from = 0; from < count; from += 32 * kLoads) {
    DocId docids[kLoads];
    bool present[kLoads];
#pragma unroll
    for (std::uint32_t i = 0; i < kLoads; ++i) {
      const std::uint32_t at = from + 32 * i + lane;
      docids[i] = at < count ? held.docids[at] : 0;
      present[i] = at < count && marked(term.list, docids[i]);
    }
#pragma unroll
    for (std::uint32_t i = 0; i < kLoads; ++i) {
      const std::uint32_t at = from + 32 * i + lane;
      const Score score = at < count ? held.scores[at] : 0;
      const std::uint16_t place = at < count ? held.places[at] : std::uint16_t{0};
      const bool keep =
          at < count && (present[i] || before_driver || (!conjunction && score + term.max_rest >= progress.threshold));
      const std::uint32_t keepers = __ballot_sync(kFullWarp, keep);
      __syncwarp();  // all lanes have read their documents
      if (keep) {
        const std::uint32_t to = kept + static_cast<std::uint32_t>(__popc(keepers & lanes_below(lane)));
        held.docids[to] = docids[i];
        held.scores[to] = score;
        held.places[to] = present[i] ? place : static_cast<std::uint16_t>(place | kAbsent);
      }
      __syncwarp();
      kept += static_cast<std::uint32_t>(__popc(keepers));
    }
  }
  return kept;
}

// Looks the first `count` held documents up in the list of term `number`. Those that may still be hits stay, in their
// order, with the term's score added; returns how many. Those with kAbsent are not looked for. Which stay:
//   AND: documents in the list; when matches are not counted, only those that may reach the threshold.
//   OR, term behind the driving one (`number` > driver): documents that may reach the threshold.
//   OR, term before the driving one: documents not in the list. The others are found where that term drives.
template <class Lists>
__device__ inline std::uint32_t look_up(const TaskQuery& of, const TaskRange& range, std::uint32_t number, Held& held,
                                        std::uint32_t count, Progress& progress) {
  const TermOnDevice& term = of.terms[number];
  const std::uint32_t lane = lane_of_warp();
  const bool conjunction = of.query.conjunction, before_driver = number < range.driver;
  // The score that later terms may still add and, while matches are counted, also the driving term and the prior.
  const Score open =
      progress.counting ? term.max_rest + of.terms[0].max_score + max_prior_of<Lists>(of.query) : term.max_rest;
  const Range none{term.list.block_count, term.list.block_count};
  const auto range_at = [&](std::uint32_t at) {
    return at < count && held.places[at] < kAbsent ? range_of(term.list, held.docids[at]) : none;
  };
  Range ahead = range_at(lane);
  std::uint32_t kept = 0;
  for (std::uint32_t from = 0; from < count; from += 32) {
    const std::uint32_t at = from + lane;
    bool live = at < count;
    const DocId docid = live ? held.docids[at] : 0;
    Score score = live ? held.scores[at] : 0;
    const std::uint16_t place = live ? held.places[at] % kAbsent : std::uint16_t{0};
    const Range blocks = ahead;
    ahead = range_at(at + 32);  // loaded for the next iteration
    const std::uint32_t block = block_of(term.list, docid, blocks);
    bool wanted = block < term.list.block_count;
    Located where{};
    if (wanted) where = locate(term.list, block);
    const Score most = wanted && !before_driver ? max_score_of(term, where.entry) : 0;
    const bool matters = live && score != kNone && score + most + open >= progress.threshold;
    if (!progress.counting && !before_driver) {
      live = matters;
      wanted = wanted && live;
    }
    std::uint32_t index = kNone;
    if (wanted) index = Lists::find(term.list, block, where.entry, run_of(where, docid), docid);
    progress.runs += static_cast<std::uint32_t>(__popc(__ballot_sync(kFullWarp, wanted)));
    const bool found = index != kNone;
    if (progress.counting && !matters)
      score = kNone;
    else if (found && !before_driver)
      score += score_posting(of.query, term, Lists::frequency(term.list, block, where.entry, index), docid);
    const bool keep = before_driver ? live && !found
                                    : live && (found || !conjunction) &&
                                          (progress.counting || score + term.max_rest >= progress.threshold);
    const std::uint32_t keepers = __ballot_sync(kFullWarp, keep);
    __syncwarp();  // all lanes have read their documents
    if (keep) {
      const std::uint32_t to = kept + static_cast<std::uint32_t>(__popc(keepers & lanes_below(lane)));
      held.docids[to] = docid;
      held.scores[to] = score;
      held.places[to] = place;
    }
    __syncwarp();
    kept += static_cast<std::uint32_t>(__popc(keepers));
  }
  return kept;
}

}  // namespace frond::leaf::gpu::search
