#pragma once
// A batch of plans in device memory: plain structs, which BatchBuilder makes and the kernels of search/ read.
//
// How a query is searched. Its terms are ordered: for AND by the length of their lists, shortest first; for OR by the
// highest score that a posting can have, highest first. A document is found in the list of the first of its terms in
// that order, and only there: that list "drives". For AND the shortest list drives. For OR a document whose first term
// is number i scores at most what terms i, i + 1, … can add up to, so a list drives only if that sum reaches the
// threshold (MaxScore, Turtle and Flood 1995). A task is a few blocks of one driving list, or a part of one block; a
// warp takes one task after the other. Batches that are not ranked: search/warp_unranked.cuh.
//
// An OR whose lists nearly all drive, as those of learned sparse vectors do, is not looked up but summed: a thread
// block adds up the scores of all documents of a tile (search/sum_kernel.cuh). Such a query has no rows.
#include <cstdint>

#include "common/query/factor.h"
#include "common/scoring/bm25.h"
#include "common/scoring/prior.h"
#include "leaf/engine/term_role.h"
#include "leaf/gpu/block_entry.h"

namespace frond::leaf::gpu {

// QueryOnDevice::count_to of a query that counts every match.
inline constexpr std::uint32_t kCountAll = 0xffffffff;

// As Factor has it, rounded down. No plan is taken whose sums may pass kMaxScore (DeviceCache).
FROND_HOST_DEVICE inline scoring::Score times(scoring::Score score, std::uint32_t factor) {
  return static_cast<scoring::Score>(std::uint64_t{score} * factor / query::Factor::kOne);
}

struct TermOnDevice {
  DeviceList list;
  scoring::BoundScale bounds;
  float weight;
  scoring::Score max_score;  // of any posting of the list
  scoring::Score max_rest;   // sum of `max_score` of the terms behind this one, and PhraseOnDevice::most
  std::uint16_t factor;      // of its scores, query::Factor::units; for kernels with clauses, as the role
  std::uint8_t field;        // whose lengths its scores use, among ClausesOnDevice::fields; likewise
  engine::TermRole role;     // terms are sorted by it first
};

// What lists of one text field score by, or those of all text.
struct FieldOnDevice {
  const std::uint32_t* lengths;  // as QueryOnDevice has them of all text
  scoring::LengthNorm norm;
  std::uint32_t min_length;
};

// A phrase of a query (search/warp_phrase.cuh).
struct WordOnDevice {
  std::uint64_t hash;    // partition::term_hash()
  std::uint32_t number;  // in the phrase
};
struct PhraseOnDevice {
  const std::byte* sequences;   // records of token codes, one behind the other
  const std::uint32_t* begins;  // of the documents' records, and the end
  const WordOnDevice* words;    // QueryOnDevice::phrase_words, at most kMaxPhraseWords; the rarest first
  std::uint32_t last;           // the greatest number
  float weight;
  std::uint32_t factor;  // as a term's
  std::uint32_t field;   // likewise
  std::uint32_t text;    // PlanPhrase::text
  scoring::Score most;   // that it adds, if it is not first
  // It is what the first term's list, which only the phrase asks for, adds in place of its own postings: these have the
  // phrase's weight, and the phrase is nowhere more often than its words.
  bool first;
};
// What kernels with clauses know of a query besides.
struct ClausesOnDevice {
  const FieldOnDevice* fields;  // the first is all text
  std::uint32_t field_count;
  // How many of so many terms a document must be in: of AND the last, which are optional; of OR the first, behind which
  // are excluded ones. OR: 0 for a single list, whose matches need not be counted.
  std::uint32_t minimum, any;
  PhraseOnDevice phrase;
};

struct QueryOnDevice {
  const std::uint32_t* lengths;  // of the partition's documents
  // Of all documents, then maxima of kPriorStretch and of kPriorRegion documents each (search/thread.cuh); null: none.
  const scoring::Prior* priors;
  scoring::PriorWeight prior_weight;
  scoring::Score max_prior;     // what a prior adds at most; 0: there are none
  const std::uint32_t* hidden;  // a bit for each document that does not match, whatever the lists say; null: none
  // The same where many are hidden: then documents are asked for as soon as they are read; null: few are, or none.
  const std::uint32_t* many_hidden;
  scoring::LengthNorm norm;
  std::uint32_t min_length;  // of a document
  std::uint32_t first_term, terms;
  // The term whose best blocks give the first threshold; `terms`: none. Unranked: the first blocks instead.
  std::uint32_t seed_term;
  std::uint32_t k;      // 1 .. 1000; unranked: 0 .. 1000
  std::uint32_t reach;  // of so many postings of any list at least k are of documents that are not hidden
  bool conjunction;     // kAnd of two terms or more, or with a phrase
  // Of a conjunction, and with clauses: matches beyond this number need not be counted. Unranked: kCountAll, or 0, then
  // none are counted.
  std::uint32_t count_to;
  scoring::Score floor;  // documents with lower scores are not wanted
  // (score - bin_base) >> bin_shift is the score's bin. Scores outside belong to the first bin or the last.
  scoring::Score bin_base;
  std::uint32_t bin_shift;
  std::uint32_t documents;  // of the partition
  scoring::Score tied;      // summed, or with clauses: scores are those of score_with_ties(); 0: they are not
  DocId origin;             // unranked, and with ties: of document_order.h
  // Unranked:
  // Terms whose lists are combined by their marks (search/warp_marks.cuh): for AND all, for OR the first; 0: none.
  std::uint32_t by_marks;
  std::uint32_t phrase_words;  // 0: there is no phrase
  const ClausesOnDevice* clauses;
};

// Whether the row of a term is for the lists that are combined by their marks.
FROND_HOST_DEVICE inline bool drives_by_marks(const QueryOnDevice& query, std::uint32_t term) {
  return query.by_marks > 0 && term == (query.conjunction ? 0u : 1u);
}
// Documents whose marks are combined together, as a block of a driving list: a warp reads 4 words a lane.
inline constexpr std::uint32_t kMarksBlock = 32 * 32 * 4;

// The tasks of one driving list: from first_task to the next row's. A task is `chunk` blocks; where one block is too
// much work for a task, chunk is 1 and a task is one of 2^split equal parts of a block. Unranked: the first list of an
// OR ends with its first k postings; lists that are combined by their marks have one row, whose blocks are kMarksBlock
// documents and are not split.
struct Row {
  std::uint32_t query, term, first_task;  // term: its number in the query; rows are sorted by it
  std::uint16_t chunk, split;
};
inline constexpr std::uint32_t kTasksOfAGroup = 64;

// A query's progress, which all warps that work on it read and change.
struct QueryState {
  scoring::Score threshold;  // documents with lower scores are not among the k best; never falls
  std::uint32_t emitted;     // candidates found, including those for which there was no room; kDamaged and more: below
  // Of a conjunction, and with clauses: exact up to count_to; above that, some number greater than count_to. Unranked:
  // of a conjunction all, of OR those that are not in the first term's list.
  std::uint32_t matches;
  std::uint32_t runs;             // runs of 16 postings that were decoded
  std::uint32_t hidden_postings;  // of the first term's list that are of hidden documents, if the query is `counted`
  std::uint64_t began_ns;         // when its first kernel began, by the device's clock
};

// QueryState::emitted, at least, of a query that met a sequence of words that is none.
inline constexpr std::uint32_t kDamaged = 1u << 31;

// A query's result for the host, in pinned host memory.
struct AnswerOfQuery {
  scoring::Score threshold;          // the last one
  std::uint32_t matches, runs;       // as in QueryState
  std::uint32_t hidden_postings;     // likewise
  std::uint32_t found;               // number of hits written, or one of the two below
  std::uint32_t bin_shift;           // QueryOnDevice::bin_shift
  std::uint64_t began_ns, ended_ns;  // begin of its first and end of its last kernel, by the device's clock
  std::uint64_t launch;              // number of the launch; written last, so the other fields are complete with it
};
inline constexpr std::uint32_t kNoRoom = 0xffffffff;    // too many candidates to tell the k best apart
inline constexpr std::uint32_t kNoAnswer = 0xfffffffe;  // kDamaged: the CPU searches, and says what is wrong

struct HitOnDevice {
  DocId docid;
  scoring::Score score;
};

struct BatchOnDevice {
  // Plain data: queries with their clauses, terms, rows, group_rows, counted and summed. start_queries() copies it to
  // device memory.
  const std::byte* staged;    // from here, in pinned host memory; aligned to 16
  std::byte* input;           // to here
  std::uint32_t input_bytes;  // a multiple of 16
  const QueryOnDevice* queries;
  const TermOnDevice* terms;
  const Row* rows;                  // ends with a row that has only first_task: the number of tasks
  const std::uint32_t* group_rows;  // the row of every kTasksOfAGroup-th task
  // Queries whose number of matches is what their first term's list has of documents that are not hidden, or contains
  // it; the hidden ones are counted. Each by count_blocks thread blocks.
  const std::uint32_t* counted;
  std::uint32_t counted_queries, count_blocks;
  const std::uint32_t* summed;                     // queries whose scores are summed
  std::uint32_t summed_queries, summed_documents;  // of the largest of their partitions
  std::uint32_t query_count, task_count;
  // The tasks before interleaved_tasks, which are those of the queries' first rows, are laid out in columns of
  // column_tasks consecutive ones, and taken across the columns: place i is task i / columns of column i % columns. The
  // last column may be shorter: places behind its end are no tasks. The other tasks follow in their order, one a place.
  std::uint32_t interleaved_tasks, columns, column_tasks;
  std::uint32_t search_warps;  // warps of the search kernel
  std::uint32_t candidates;    // places of one query in `keys`
  std::uint32_t hits_stride;   // places of one query in `hits`
  std::uint32_t* next_place;   // the first place that no warp has taken
  QueryState* states;
  std::uint32_t* bins;     // kBins for each query: candidates by score
  std::uint64_t* keys;     // candidates: score << 32 | ~docID, so the better hit is the larger key
  AnswerOfQuery* answers;  // in pinned host memory
  HitOnDevice* hits;       // of each query, best first; in pinned host memory
  std::uint64_t launch;    // number of this launch among those with the same `answers`; not 0
  ListCodecs codecs;       // of all lists
  bool priors;             // some query has priors
  bool clauses;            // some query is of clauses (engine::is_of_clauses())
  bool unranked;           // all queries: the k first documents, with scores as in document_order.h
  bool counts;             // unranked, and k is 0 in all queries: there are no bins and no candidates
  bool by_bucket;          // unranked: documents are looked up by bucket in lists of codec hs-lrc
  bool early;              // launch a kernel's thread blocks while the kernel before ends (early_launch.cuh)
};

// The number of places that warps take tasks from.
FROND_HOST_DEVICE inline std::uint32_t places_of(const BatchOnDevice& batch) {
  return batch.columns * batch.column_tasks + (batch.task_count - batch.interleaved_tasks);
}

}  // namespace frond::leaf::gpu
