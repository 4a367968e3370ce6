#pragma once
// The vector loops of the CPU engine, compiled for several instruction sets and chosen when first called. Bit-identical
// to their scalar meaning on all of them: IEEE single operations and truncation are the same in every lane.
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/ids.h"
#include "common/codec/list_codec.h"
#include "common/scoring/bm25.h"

namespace frond::leaf::cpu {

// Outputs of select() and drain() are written a vector at a time: this many entries behind the last kept are scratch.
inline constexpr std::size_t kSelectSlack = 64;
// docIDs that are read a few at a time have so many of kNoDoc behind them.
inline constexpr std::uint32_t kVectorSlack = 16;

// scores[i] = scoring::contribution(weight, frequencies[i], lengths[docids[i]], norm). docids are below lengths' size,
// frequencies at least 1. `scores` may be `frequencies`.
void score_postings(const DocId* docids, const Frequency* frequencies, std::size_t count, const std::uint32_t* lengths,
                    float weight, scoring::LengthNorm norm, scoring::Score* scores);

// Documents and their scores so far, in ascending docID.
struct Selection {
  DocId* docids;
  scoring::Score* scores;
};

// Keeps, in order, the postings with score >= least; returns how many.
std::size_t select(const DocId* docids, const scoring::Score* scores, std::size_t count, scoring::Score least,
                   Selection out);

// positions[i]: how many of the block's kBlockLength docIDs, ascending, are below targets[i].
void positions_in_block(const DocId* block, const DocId* targets, std::size_t count, std::uint32_t* positions);

// Sums over a window of documents are scanned in groups of so many; one bit for each tells which groups were added to.
inline constexpr std::uint32_t kGroup = 64;
inline constexpr std::uint32_t kGroups = 64;

// Keeps the documents first + i with sums[i] >= least (at least 1) and sets those sums to 0 that are in `groups`: bit g
// is for sums[g * kGroup ..). Returns how many.
std::size_t drain(scoring::Score* sums, std::uint64_t groups, DocId first, scoring::Score least, Selection out);

}  // namespace frond::leaf::cpu
