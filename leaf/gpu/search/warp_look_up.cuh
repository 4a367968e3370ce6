#pragma once
// Search, warp layer, step 2: the held documents are looked up in another list of the query.
// Mapping, results and shared memory: warp_state.cuh. Each lane looks up one document at a time (thread.cuh).
#include "leaf/gpu/search/warp_state.cuh"

namespace frond::leaf::gpu::search {

// Looks the first `count` held documents up in the list of term `number`. Those that may still be hits stay, in their
// order, with the term's score added; returns how many. Which stay:
//   AND: documents in the list; when matches are not counted, only those that may reach the threshold.
//   OR, term behind the driving one (`number` > driver): documents that may reach the threshold.
//   OR, term before the driving one: documents not in the list. The others are found where that term drives.
__device__ inline std::uint32_t look_up(const TaskQuery& of, const TaskRange& range, std::uint32_t number, Held& held,
                                        std::uint32_t count, Progress& progress) {
  const TermOnDevice& term = of.terms[number];
  const std::uint32_t lane = lane_of_warp();
  const bool conjunction = of.query.conjunction, before_driver = number < range.driver;
  // The score that later terms may still add and, while matches are counted, also the driving term.
  const Score open = progress.counting ? term.max_rest + of.terms[0].max_score : term.max_rest;
  const Range none{term.list.block_count, term.list.block_count};
  Range ahead = lane < count ? range_of(term.list, held.docids[lane]) : none;
  std::uint32_t kept = 0;
  for (std::uint32_t from = 0; from < count; from += 32) {
    const std::uint32_t at = from + lane;
    bool live = at < count;
    const DocId docid = live ? held.docids[at] : 0;
    Score score = live ? held.scores[at] : 0;
    const std::uint16_t place = live ? held.places[at] : std::uint16_t{0};
    const Range blocks = ahead;
    ahead = at + 32 < count ? range_of(term.list, held.docids[at + 32]) : none;  // loaded for the next iteration
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
    if (wanted) index = find_in_run(term.list, where.entry.docids, run_of(where, docid), docid);
    progress.runs += static_cast<std::uint32_t>(__popc(__ballot_sync(kFullWarp, wanted)));
    const bool found = index != kNone;
    if (progress.counting && !matters)
      score = kNone;
    else if (found && !before_driver)
      score += score_posting(of.query, term, where.entry.frequencies, index, docid);
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
