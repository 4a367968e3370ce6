#pragma once
// Numbers chosen by measuring; docs/measurements has the figures.
#include <cstdint>

namespace frond::leaf::gpu {

// Limits of one launch. Larger batches are cut, so that the host prepares one part while the device searches another.
inline constexpr std::uint32_t kMaxQueries = 512;
inline constexpr std::uint32_t kMaxTerms = 4096;  // of all queries together
// Limits of a query that the device searches. The CPU searches others. Kernels walk through a query's terms and need no
// room for them; queries of learned sparse vectors have 20 to 60.
inline constexpr std::uint32_t kMaxQueryTerms = 64;
inline constexpr std::uint32_t kMaxHits = 1000;
inline constexpr std::uint32_t kMaxPhraseWords = 32;  // each lane of a warp has one
inline constexpr std::uint32_t kMaxFactor = 0xffff, kMaxFields = 0xff;
inline constexpr std::uint32_t kMaxMinimum = 7;  // Plan::minimum: in 3 bits (search/warp_state.cuh)

// Bins of a query's histogram of scores, all equally wide: together they hold every score that the query can give.
// Where thousands of scores fall into one, the query is launched again with bins that divide that one. A threshold is
// at most one bin too low.
inline constexpr std::uint32_t kBinBits = 10, kBins = 1u << kBinBits;
// Candidates that one query has room for. A batch divides its room among its queries.
inline constexpr std::uint32_t kMaxCandidates = 32768, kMinCandidates = 2048;
// Candidates at or above the last threshold, which are sorted in shared memory.
inline constexpr std::uint32_t kMaxSorted = 4096;

// Blocks in one task: a warp loads their entries at once, one by each lane.
inline constexpr std::uint32_t kMaxTaskBlocks = 32;
// A launch is cut into about kWantedTasks tasks, each with work from kMinTaskWork to kMaxTaskWork, in look-ups of 32
// documents. With far larger tasks a few warps ran on after all others had ended: 90 % of the device was idle.
inline constexpr std::uint32_t kWantedTasks = 12288, kMinTaskWork = 2, kMaxTaskWork = 64;
// Work of combining one list's marks of kMarksBlock documents, likewise: one load of 128 bytes for 1,024 of them.
inline constexpr double kWorkOfMarks = 0.25;
// Work of a block whose documents' sequences are looked at.
inline constexpr double kWorkOfPhrase = 8;
// Work of a block that is passed over since its list reaches no threshold.
inline constexpr double kWorkOfNothing = 1.0 / 32;
// A block is cut into at most 2^kMaxSplit tasks, of 32 postings.
inline constexpr std::uint32_t kMaxSplit = 2;
// Of a query that hides more than one document in kManyHidden the bits are asked when documents are read, not when they
// are hits but for that.
inline constexpr std::uint32_t kManyHidden = 4;
// Warps that search, on one processor and in one thread block.
inline constexpr std::uint32_t kSearchWarps = 32, kSearchBlockWarps = 4;
// Documents that a thread block sums the scores of; where codecs need much shared memory, too. A thread block has 99
// KiB.
inline constexpr std::uint32_t kSummedDocuments = 22 * 1024, kSummedDocumentsMixed = 16 * 1024;
// In blocks that are summed: work of a tile of documents, beside one block a term; and of looking a block's documents
// up in one list, on average over all lists. Bounds leave out most of BM25's look-ups and few of impacts'.
inline constexpr double kWorkOfTile = 40, kWorkOfLookUp = 0.05, kWorkOfImpactLookUp = 0.5;
// Columns that a batch's tasks are taken from in turn (batch.h).
inline constexpr std::uint32_t kColumns = 2048;

}  // namespace frond::leaf::gpu
