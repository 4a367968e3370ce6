#pragma once
// Search, thread layer: one thread finds the block and the run of one document in one list, and scores it. What reads a
// run depends on the list's codec (packed_lists.cuh).
//
// Mapping: every lane has its own document, so a warp searches 32 blocks with the instructions of one search.
// Result: in the registers of the calling lane. Lanes may call under divergence; there are no warp operations.
// Shared memory: none. Alignment: as block_entry.h says. Lists are admitted (list_kernels.h), so nothing is checked
// here.
#include "leaf/gpu/batch.h"
#include "leaf/gpu/block.cuh"

namespace frond::leaf::gpu::search {

using scoring::Score;

inline constexpr std::uint32_t kNone = 0xffffffff;

// Whether the list may have the document, by its marks (DeviceList). False: it does not.
__device__ inline bool marked(const DeviceList& list, DocId docid) {
  const std::uint32_t range = docid >> list.marks_shift;
  return __ldg(list.marks + range / 32) >> (range % 32) & 1;
}

// The blocks that may hold a document: low to high, both included. The table has two words for it.
struct Range {
  std::uint32_t low, high;
};
__device__ inline Range range_of(const DeviceList& list, DocId docid) {
  const std::uint32_t* range = list.table + (docid >> list.table_shift);
  return {__ldg(range), __ldg(range + 1)};
}

// The only block that may hold a document; block_count: no block does. The last docIDs of up to three blocks are loaded
// at once: that is one wait, where a binary search has two.
__device__ inline std::uint32_t block_of(const DeviceList& list, DocId docid, Range range) {
  while (range.high - range.low > 3) {
    const std::uint32_t middle = (range.low + range.high) / 2;
    if (__ldg(&list.blocks[middle].last) < docid)
      range.low = middle + 1;
    else
      range.high = middle;
  }
  const std::uint32_t more = range.high - range.low;
  std::uint32_t first = kNoDoc, second = kNoDoc, third = kNoDoc;
  if (more > 0) first = __ldg(&list.blocks[range.low].last);
  if (more > 1) second = __ldg(&list.blocks[range.low + 1].last);
  if (more > 2) third = __ldg(&list.blocks[range.low + 2].last);
  return range.low + (first < docid) + (second < docid) + (third < docid);
}

// What is loaded of a block to look a document up in it: two loads that do not wait for each other.
struct Located {
  BlockEntry entry;
  uint4 low_starts, high_starts;  // DeviceList::starts
};
__device__ inline Located locate(const DeviceList& list, std::uint32_t block) {
  const uint4* starts = reinterpret_cast<const uint4*>(list.starts + std::size_t{block} * kRuns);
  return {load_entry(list.blocks + block), __ldg(starts), __ldg(starts + 1)};
}

// The run of a block that may hold a document, and the docID that its first distance is added to.
struct Run {
  std::uint32_t number, before;
};
__device__ inline Run run_of(const Located& where, DocId docid) {
  const uint4 &low = where.low_starts, &high = where.high_starts;
  const std::uint32_t all[kRuns - 1] = {low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  Run run{0, low.x};
#pragma unroll
  for (std::uint32_t i = 0; i < kRuns - 1; ++i)
    if (all[i] < docid) run = {i + 1, all[i]};
  return run;
}

// What documents' static priors add to their scores (common/scoring/prior.h), exactly and at most. Only for queries
// that have priors. One thread alone.
//
// Batches with such queries have a search kernel of their own, for lists that WithPriors<Lists> reads: in the usual
// one, which has no register to spare, the same branches would make every query spill more.
//
// Bounds of scores are of terms and prior together, so thresholds and floors are those of whole scores: a held
// document's score has the most that a prior of its stretch adds, until its own is known; a block's bound has that of
// its documents' range, a list's that of the partition (QueryOnDevice::max_prior).
template <class Lists>
struct WithPriors : Lists {
  static constexpr bool kAddsPriors = true;
};
template <class Lists>
concept AddsPriors = Lists::kAddsPriors;
// Those of batches with clauses are others again; they add priors, too.
template <class Lists>
struct WithClauses : WithPriors<Lists> {
  static constexpr bool kHasClauses = true;
};
template <class Lists>
concept HasClauses = Lists::kHasClauses;
// A term's score with its factor, which is 1 in other kernels.
template <class Lists>
__device__ inline Score boosted(const TermOnDevice& term, Score score) {
  if constexpr (HasClauses<Lists>) return times(score, term.factor);
  return score;
}

// What the term's list scores by: in other kernels all text.
template <class Lists>
__device__ inline FieldOnDevice field_of(const QueryOnDevice& query, const TermOnDevice& term) {
  if constexpr (HasClauses<Lists>) return query.clauses->fields[term.field];
  return {query.lengths, query.norm, query.min_length};
}

// The score of a posting.
template <class Lists>
__device__ inline Score score_posting(const QueryOnDevice& query, const TermOnDevice& term, Frequency frequency,
                                      DocId docid) {
  const FieldOnDevice field = field_of<Lists>(query, term);
  return boosted<Lists>(term, scoring::contribution(term.weight, frequency, __ldg(field.lengths + docid), field.norm));
}

// At least the score of such a posting in any document of the partition. The fast division is wrong by at most
// two units of the last place; the margin covers that and the roundings here and in contribution().
template <class Lists>
__device__ inline Score most_of_posting(const QueryOnDevice& query, const TermOnDevice& term, Frequency frequency) {
  const auto tf = static_cast<float>(frequency);
  const FieldOnDevice field = field_of<Lists>(query, term);
  const float n = field.norm.constant + field.norm.slope * static_cast<float>(field.min_length);
  return boosted<Lists>(term, static_cast<Score>(term.weight * __fdividef(tf, tf + n) * (1.0f + 0x1p-20f)) + 1);
}

// The highest score that a posting of the block can have.
template <class Lists>
__device__ inline Score max_score_of(const TermOnDevice& term, const BlockEntry& entry) {
  return boosted<Lists>(term, term.bounds.bound(static_cast<scoring::PackedDeficit>(entry.deficit_and_count >> 16)));
}

// Documents that a query passes over whatever the lists say (QueryOnDevice::hidden). Any thread alone.

// A bit for each of the documents 32 * word .. 32 * word + 31.
__device__ inline std::uint32_t hidden_word(const QueryOnDevice& query, std::uint32_t word) {
  return query.hidden == nullptr ? 0 : __ldg(query.hidden + word);
}
__device__ inline bool has_bit(const std::uint32_t* bits, DocId docid) {
  return (__ldg(bits + docid / 32) >> (docid % 32) & 1) != 0;
}
__device__ inline bool is_hidden(const QueryOnDevice& query, DocId docid) {
  return query.hidden != nullptr && has_bit(query.hidden, docid);
}

// QueryOnDevice::max_prior, which is 0 in other kernels.
template <class Lists>
__device__ inline scoring::Score max_prior_of(const QueryOnDevice& query) {
  if constexpr (AddsPriors<Lists>) return query.max_prior;
  return 0;
}

__device__ inline scoring::Score prior_score(const QueryOnDevice& query, DocId docid) {
  return scoring::weighted(__ldg(query.priors + docid), query.prior_weight);
}

// At least that of the document: the most of any document in its stretch.
__device__ inline scoring::Score most_prior_near(const QueryOnDevice& query, DocId docid) {
  return scoring::weighted(__ldg(query.priors + query.documents + docid / scoring::kPriorStretch), query.prior_weight);
}

// At least that of any document first .. last: from a few stretches or regions, or else the most of all.
__device__ inline scoring::Score most_prior_in(const QueryOnDevice& query, DocId first, DocId last) {
  constexpr std::uint32_t kLooks = 8;
  const scoring::Prior* maxima = query.priors + query.documents;
  std::uint32_t step = scoring::kPriorStretch;
  if (last / step - first / step >= kLooks) {
    maxima += (query.documents - 1) / step + 1;
    step = scoring::kPriorRegion;
    if (last / step - first / step >= kLooks) return query.max_prior;
  }
  scoring::Prior most = 0;
  for (std::uint32_t i = first / step; i <= last / step; ++i) most = max(most, __ldg(maxima + i));
  return scoring::weighted(most, query.prior_weight);
}

}  // namespace frond::leaf::gpu::search
