#pragma once
// The vector loops of the CPU engine, compiled for several instruction sets; the best one is chosen at run time. All
// give the same bits as scalar code: IEEE single operations and truncation are the same in every lane.
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/ids.h"
#include "common/codec/list_codec.h"
#include "common/scoring/bm25.h"
#include "leaf/lists/bucket_index.h"

namespace frond::leaf::cpu {

// select() and drain() write whole vectors: outputs need room for this many entries after the last one kept.
inline constexpr std::size_t kSelectSlack = 64;
// Arrays of docIDs that are read several at a time end with at least this many kNoDoc.
inline constexpr std::uint32_t kVectorSlack = 16;

// scores[i] = scoring::contribution(weight, frequencies[i], lengths[docids[i]], norm). `scores` may be the same array
// as `frequencies`.
// REQUIRES: docIDs are below the size of `lengths`, frequencies at least 1.
void score_postings(const DocId* docids, const Frequency* frequencies, std::size_t count, const std::uint32_t* lengths,
                    float weight, scoring::LengthNorm norm, scoring::Score* scores);

// Documents in ascending docID, and their scores so far.
struct Selection {
  DocId* docids;
  scoring::Score* scores;
};

// Keeps, in order, the postings with score >= least; returns how many.
// REQUIRES: `out` has kSelectSlack places after the last one kept.
std::size_t select(const DocId* docids, const scoring::Score* scores, std::size_t count, scoring::Score least,
                   Selection out);

// positions[i]: how many docIDs of the block are below targets[i].
// REQUIRES: the block has kBlockLength docIDs, which ascend.
void positions_in_block(const DocId* block, const DocId* targets, std::size_t count, std::uint32_t* positions);

// The bits of `found`, one for each of the first `count` docids, of those that are in the block.
// REQUIRES: 0 < count <= kBlockLength; the block has kBlockLength docIDs; both ascend. kVectorSlack readable entries
// follow the docids, which are not in the block or kNoDoc.
void find_in_block(const DocId* block, const DocId* docids, std::size_t count, std::uint64_t* found);

// Of the documents that a list has, by its index: found[i] is which of the docids it is, postings[i] its posting.
// Returns how many. REQUIRES: docids ascend; both outputs have a place more than docids are many.
std::size_t find_in_buckets(const lists::BucketIndex& index, std::span<const DocId> docids, std::uint32_t* found,
                            std::uint32_t* postings);

// The bits of `found`, one for each docID of a block, of those of docids[from .. to) that are not in `hidden`, which
// has a bit for each document; how many they are.
std::size_t find_shown(const DocId* docids, std::size_t from, std::size_t to, std::span<const std::uint64_t> hidden,
                       std::uint64_t* found);

// A code, and how far behind a place it is.
struct CodeAt {
  std::uint32_t number = 0, code = 0;
};
// At how many places of [0, places) all of `codes` are in the sequence: codes[j].code at place + codes[j].number. The
// sequence has little-endian numbers of `width` bytes (1, 2 or 4) at any alignment, `places` and the largest number of
// them. No code is 0.
std::uint32_t count_places(const std::byte* sequence, std::uint32_t width, std::size_t places,
                           std::span<const CodeAt> codes);

// A window's sums are in kGroups groups of kGroup sums. One bit per group says whether any of them was added to.
inline constexpr std::uint32_t kGroup = 64;
inline constexpr std::uint32_t kGroups = 64;

// In the groups of `groups` (bit g: sums[g * kGroup ..]), keeps the documents first + i with sums[i] >= least, and sets
// all sums to 0. Returns how many it keeps.
// REQUIRES: least >= 1; `out` has kSelectSlack places after the last one kept.
std::size_t drain(scoring::Score* sums, std::uint64_t groups, DocId first, scoring::Score least, Selection out);

// How many bits of the words are set.
std::size_t count_bits(const std::uint64_t* words, std::size_t count);

// Adds a bit to `words` for each of 64 * count bytes that is not 0, and sets the bytes to 0. They are aligned to 64.
void move_marks(std::uint8_t* marks, std::size_t count, std::uint64_t* words);

}  // namespace frond::leaf::cpu
