#pragma once
// Search, warp layer, step 1: the documents of a block of the driving list that may be hits are added to Held.
// Mapping, results and shared memory: warp_state.cuh. A block is decoded in registers, lane t has postings 4 t .. 4 t
// + 3.
#include "leaf/gpu/document_order.h"
#include "leaf/gpu/search/thread.cuh"
#include "leaf/gpu/search/warp_phrase.cuh"
#include "leaf/gpu/search/warp_state.cuh"

namespace frond::leaf::gpu::search {

// What terms mean for a document: for all of a query the same, but in kernels with clauses.
template <class Lists>
__device__ inline bool is_required(const QueryOnDevice& query, const TermOnDevice& term) {
  if constexpr (HasClauses<Lists>) return query.conjunction && term.role == engine::TermRole::kRequired;
  return query.conjunction;
}
template <class Lists>
__device__ inline bool is_excluded(const TermOnDevice& term) {
  if constexpr (HasClauses<Lists>) return term.role == engine::TermRole::kExcluded;
  return false;
}
// Whether a document stays that a list behind the driving one does not have.
template <class Lists>
__device__ inline bool stays_without(const QueryOnDevice& query, const TermOnDevice& term, Score score,
                                     const Progress& progress) {
  if constexpr (HasClauses<Lists>)
    if (is_excluded<Lists>(term) || progress.counting) return !is_required<Lists>(query, term);
  return !is_required<Lists>(query, term) && score + term.max_rest >= progress.threshold;
}
// Whether the driving term's share of a score is that of the phrase (PhraseOnDevice::first).
template <class Lists>
__device__ inline bool is_scored_by_phrase(const QueryOnDevice& query) {
  if constexpr (HasClauses<Lists>) return query.phrase_words > 0 && query.clauses->phrase.first;
  return false;
}
// Whether all matches are counted, up to count_to.
template <class Lists>
__device__ inline bool counts_matches(const QueryOnDevice& query) {
  if constexpr (HasClauses<Lists>) return query.conjunction || query.clauses->minimum > 0;
  return query.conjunction;
}
// Held::places of a document of the driving list: how many more terms it needs.
template <class Lists>
__device__ inline std::uint32_t needed_at_first(const QueryOnDevice& query) {
  if constexpr (HasClauses<Lists>)
    return (query.clauses->minimum - (!query.conjunction && query.clauses->minimum > 0)) * kNeeded;
  return 0;
}
// The same of a document whose need was looked for in the list of term `number`. False: it will not have enough.
template <class Lists>
__device__ inline bool has_enough(const QueryOnDevice& query, std::uint32_t driver, std::uint32_t number, bool found,
                                  std::uint16_t& place) {
  if constexpr (!HasClauses<Lists>) return true;
  const std::uint32_t first = query.conjunction ? query.terms - query.clauses->any : driver + 1;
  const std::uint32_t end = query.conjunction ? query.terms : query.clauses->any;
  if (number < first || number >= end) return true;
  if (found && place >= kNeeded) place = static_cast<std::uint16_t>(place - kNeeded);
  return place / kNeeded <= end - 1 - number;
}
template <class Lists>
__device__ inline std::uint32_t without_needed(std::uint32_t place) {
  if constexpr (HasClauses<Lists>) return place % kNeeded;
  return place;
}

// Adds documents behind the first `count` of Held, which has room for 128 more, and returns the new count. `block`: the
// block's index in the task. `before`: docid_before() of the block. Scores: Held. Ends without a __syncwarp(): settle()
// has one.
template <class Lists>
__device__ inline std::uint32_t gather(const TaskQuery& of, const TaskRange& range, const BlockEntry& entry,
                                       std::uint32_t before, std::uint32_t block, Held& held, std::uint32_t count,
                                       typename Lists::Scratch& scratch, Progress& progress) {
  const TermOnDevice& term = of.terms[range.driver];
  const QueryOnDevice& query = of.query;
  const std::uint32_t lane = lane_of_warp();
  Four docids;
  Lists::docids(term.list, range.first_block + block, entry, before, lane, scratch, docids);
  const std::uint32_t size = size_of(entry);
  // The list that the documents will be looked up in first: its marks are asked here.
  const bool sifts = range.driver + 1 < query.terms;
  const TermOnDevice& next = of.terms[range.driver + sifts];
  Four frequencies{};
  if (!progress.counting) {
    Lists::frequencies(term.list, range.first_block + block, entry, lane, scratch, frequencies);
  }
  progress.runs += kRuns;
  bool keep[4], absent[4];
  Score scores[4];
  std::uint32_t mine = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t index = 4 * lane + i;
    keep[i] = index < size && index * (1u << range.split) / codec::kBlockLength == range.part;
    // A bound of the score tells which marks are loaded: each load is of another sector of memory. Loading lengths here
    // too, in whatever form, took longer than looking up the documents that they exclude.
    scores[i] = progress.counting ? 0 : most_of_posting<Lists>(query, term, frequencies.at[i] + 1);
    if constexpr (AddsPriors<Lists>)
      if (query.priors != nullptr && keep[i] && !progress.counting) scores[i] += most_prior_near(query, docids.at[i]);
    keep[i] = keep[i] && (progress.counting || scores[i] + term.max_rest >= progress.threshold);
    if (query.many_hidden != nullptr) keep[i] = keep[i] && !has_bit(query.many_hidden, docids.at[i]);
    absent[i] = keep[i] && sifts && !marked(next.list, docids.at[i]);
  }
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (absent[i]) keep[i] = stays_without<Lists>(query, next, scores[i], progress);
    mine += keep[i];
  }
  const std::uint32_t start = sum_before(mine, lane), needed = needed_at_first<Lists>(query);
  std::uint32_t to = count + start;
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (!keep[i]) continue;
    held.docids[to] = docids.at[i];
    held.scores[to] = scores[i];
    held.places[to] =
        static_cast<std::uint16_t>((absent[i] ? kAbsent : 0) + needed + block * codec::kBlockLength + 4 * lane + i);
    ++to;
  }
  return count + __shfl_sync(kFullWarp, start + mine, 31);
}

// Search, warp layer, step 2: the held documents are looked up in another list of the query.
// Mapping, results and shared memory: warp_state.cuh. Each lane looks up one document at a time (thread.cuh).

// Asks the marks of term `number` for the first `count` held documents. Drops those that are no hits if they are not in
// the list, and marks the others that are not there with kAbsent. Keeps their order; returns how many stay.
template <class Lists>
__device__ inline std::uint32_t sift(const TaskQuery& of, const TaskRange& range, std::uint32_t number, Held& held,
                                     std::uint32_t count, const Progress& progress) {
  const TermOnDevice& term = of.terms[number];
  const std::uint32_t lane = lane_of_warp();
  const bool before_driver = number < range.driver;
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
          at < count && (present[i] || before_driver || stays_without<Lists>(of.query, term, score, progress));
      kept = keep_held(held, kept, keep, docids[i], score,
                       present[i] ? place : static_cast<std::uint16_t>(place | kAbsent));
    }
  }
  return kept;
}

// Looks the first `count` held documents up in the list of term `number`. Those that may still be hits stay, in their
// order, with the term's score added; returns how many. Those with kAbsent are not looked for. Which stay:
//   AND: documents in the list, of an excluded term those that are not, of an optional one all; when matches are not
//   counted, only those that may reach the threshold.
//   OR, term behind the driving one (`number` > driver): documents that may reach the threshold.
//   OR, term before the driving one: documents not in the list. The others are found where that term drives.
// And only those that may still have as many terms as they need.
template <class Lists>
__device__ inline std::uint32_t look_up(const TaskQuery& of, const TaskRange& range, std::uint32_t number, Held& held,
                                        std::uint32_t count, Progress& progress) {
  const TermOnDevice& term = of.terms[number];
  const std::uint32_t lane = lane_of_warp();
  const bool required = is_required<Lists>(of.query, term);
  const bool leaves = number < range.driver || is_excluded<Lists>(term);  // those that the list does not have
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
    std::uint16_t place = live ? held.places[at] % kAbsent : std::uint16_t{0};
    const Range blocks = ahead;
    ahead = range_at(at + 32);  // loaded for the next iteration
    const std::uint32_t block = block_of(term.list, docid, blocks);
    bool wanted = block < term.list.block_count;
    Located where{};
    if (wanted) where = locate(term.list, block);
    const Score most = wanted && !leaves ? max_score_of<Lists>(term, where.entry) : 0;
    const bool matters = live && score != kNone && score + most + open >= progress.threshold;
    if (!progress.counting && !leaves) {
      live = matters;
      wanted = wanted && live;
    }
    std::uint32_t index = kNone;
    if (wanted) index = Lists::find(term.list, block, where.entry, run_of(where, docid), docid);
    progress.runs += static_cast<std::uint32_t>(__popc(__ballot_sync(kFullWarp, wanted)));
    const bool found = index != kNone;
    // A list before the driving one adds nothing, and `open` has what is in the score by then: the sum may wrap.
    if (progress.counting && !matters && !(HasClauses<Lists> && leaves))
      score = kNone;
    else if (found && !leaves)
      score += score_posting<Lists>(of.query, term, Lists::frequency(term.list, block, where.entry, index), docid);
    bool keep =
        leaves ? live && !found
               : live && (found || !required) && (progress.counting || score + term.max_rest >= progress.threshold);
    keep = has_enough<Lists>(of.query, range.driver, number, found, place) && keep;
    kept = keep_held(held, kept, keep, docid, score, place);
  }
  return kept;
}

// Search, warp layer: a whole task. Blocks of the driving list are gathered until Held is nearly full, then the held
// documents are looked up in the query's other lists and those left are emitted; and so on.
// Mapping, results and shared memory: warp_state.cuh.

// The exact score of a held document, or 0 if it cannot reach the threshold. `score`: as held (Held::scores).
template <class Lists>
__device__ inline Score with_driver(const TaskQuery& of, const TaskRange& range, std::uint32_t place, DocId docid,
                                    Score score, const Progress& progress) {
  const TermOnDevice& driver = of.terms[range.driver];
  const std::uint32_t block = range.first_block + place / codec::kBlockLength;
  const BlockEntry entry = load_entry(driver.list.blocks + block);
  if (score == kNone) return 0;
  const Score open = progress.counting ? max_score_of<Lists>(driver, entry) + max_prior_of<Lists>(of.query) : 0;
  if (score + open < progress.threshold) return 0;
  const std::uint32_t frequency = Lists::frequency(driver.list, block, entry, place % codec::kBlockLength);
  if (!progress.counting) score -= most_of_posting<Lists>(of.query, driver, frequency);
  if (!is_scored_by_phrase<Lists>(of.query)) score += score_posting<Lists>(of.query, driver, frequency, docid);
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
  read_threshold(of, HasClauses<Lists>, progress);
  // The terms behind the driving one, then those before it.
  for (std::uint32_t i = 1; i < of.query.terms && count > 0; ++i) {
    const std::uint32_t term = range.driver + i, number = term < of.query.terms ? term : term - of.query.terms;
    // gather() has asked the marks of the list behind the driving one.
    if (i > 1 || number == 0) count = sift<Lists>(of, range, number, held, count, progress);
    count = look_up<Lists>(of, range, number, held, count, progress);
  }
  if (of.query.hidden != of.query.many_hidden) count = drop_hidden(of.query, held, count);
  if constexpr (HasClauses<Lists>)
    if (of.query.phrase_words > 0) count = keep_phrases(of, held, count, progress);
  if (counts_matches<Lists>(of.query)) count_matches(of, count, progress);
  for (std::uint32_t from = 0; from < count; from += 32) {
    const std::uint32_t at = from + lane;
    const bool live = at < count;
    const DocId docid = live ? held.docids[at] : 0;
    Score score = live ? held.scores[at] : 0;
    if (live) score = with_driver<Lists>(of, range, without_needed<Lists>(held.places[at]), docid, score, progress);
    read_threshold(of, HasClauses<Lists>, progress);
    Score least = progress.threshold;
    if constexpr (HasClauses<Lists>)
      if (of.query.tied > 0) {
        score = score_with_ties(score, of.query.tied, docid, of.query.origin);
        least = max(read_together(&of.state->threshold), 1u);
      }
    emit(of, docid, score, live && score >= least, progress);
    if constexpr (HasClauses<Lists>)
      if (of.query.tied > 0) progress.threshold = of.query.tied;  // emit() knows the query's alone
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
    most = max_score_of<Lists>(term, entry) + term.max_rest;
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
