#pragma once
// The vector loops of the CPU engine, compiled for several instruction sets and chosen when first called. Bit-identical
// to their scalar meaning on all of them: IEEE single operations and truncation are the same in every lane.
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/ids.h"
#include "common/scoring/bm25.h"

namespace frond::leaf::cpu {

// Outputs of select() and drain() are written a vector at a time: this many entries behind the last kept are scratch.
inline constexpr std::size_t kSelectSlack = 64;

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

// Keeps the documents first + i with sums[i] >= least (at least 1) and sets sums[0 .. count) to 0; returns how many.
// `count` is a multiple of kSelectSlack.
std::size_t drain(scoring::Score* sums, std::size_t count, DocId first, scoring::Score least, Selection out);

}  // namespace frond::leaf::cpu
