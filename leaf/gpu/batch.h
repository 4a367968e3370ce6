#pragma once
// A batch of plans as kernels see it: plain structs in device memory, built by BatchBuilder.
//
// How a query is found. Its terms are ordered: for AND by length, the shortest first, for OR by the most that a posting
// can score, the highest first. A document belongs to the first of its terms in that order, and is found there: that
// list "drives". AND has one driving list, the shortest. OR has as many as matter: a document whose first term is
// number i can't score more than terms i, i + 1, … together, so lists whose sum is below the threshold never drive
// (MaxScore, Turtle and Flood 1995). A task is a few blocks of one driving list, or a part of a block; a warp takes one
// task after the other.
#include <cstdint>

#include "common/scoring/bm25.h"
#include "leaf/gpu/block_entry.h"

namespace frond::leaf::gpu {

inline constexpr std::uint32_t kCountAll = 0xffffffff;

struct TermOnDevice {
  DeviceList list;
  scoring::BoundScale bounds;
  float weight;
  scoring::Score max_score;  // of any posting of the list
  scoring::Score max_rest;   // sum of `max_score` of the terms behind this one
};

struct QueryOnDevice {
  const std::uint32_t* lengths;  // of the partition's documents
  scoring::LengthNorm norm;
  std::uint32_t min_length;  // of a document
  std::uint32_t first_term, terms;
  std::uint32_t seed_term;  // whose best blocks give the first threshold; `terms`: none
  std::uint32_t k;          // 1 .. 1000
  bool conjunction;         // kAnd of two terms or more
  std::uint32_t count_to;   // of a conjunction: once more matches than so many are counted, the k best are all
  scoring::Score floor;     // documents below it are not asked for
  std::uint32_t bin_shift;  // score >> bin_shift is the score's bin
};

// A driving list: tasks [first_task, that of the next row). A task is `chunk` blocks, or where one block is too much
// work for a warp, one of the 2^split equal parts of a block.
struct Row {
  std::uint32_t query, term, first_task;  // term: in the query
  std::uint16_t chunk, split;
};
inline constexpr std::uint32_t kTasksOfAGroup = 64;

// What a query's warps share, and what it came to.
struct QueryState {
  scoring::Score threshold;  // a document with less is not among the k best; only rises
  std::uint32_t emitted;     // documents that reached it, also those for which there was no room
  std::uint32_t matches;     // of a conjunction: all, or where these are more than count_to, more than that
  std::uint32_t runs;        // of 16 postings: decoded
  std::uint64_t began_ns;    // its first kernel, by the device's clock
};

// What the host is told of a query, in the host's memory.
struct AnswerOfQuery {
  scoring::Score threshold;          // the last one
  std::uint32_t matches, runs;       // as in the state
  std::uint32_t found;               // hits written, or kNoRoom
  std::uint64_t began_ns, ended_ns;  // its first and its last kernel, by the device's clock
  std::uint64_t launch;              // written last: the number of the launch that the rest is of
};
inline constexpr std::uint32_t kNoRoom = 0xffffffff;

struct HitOnDevice {
  DocId docid;
  scoring::Score score;
};

struct BatchOnDevice {
  // Plain data, in device memory once start_queries() has copied it there: queries, terms, rows.
  const std::byte* staged;    // in the host's memory, on 16 bytes
  std::byte* input;           // where it goes
  std::uint32_t input_bytes;  // a multiple of 16
  const QueryOnDevice* queries;
  const TermOnDevice* terms;
  const Row* rows;                  // one more, where the last ends
  const std::uint32_t* group_rows;  // the row of each kTasksOfAGroup-th task
  std::uint32_t query_count, task_count;
  // The tasks lie in columns of so many: warp i takes number i / columns of column i % columns, where there is one.
  std::uint32_t columns, column_tasks;
  std::uint32_t search_warps;  // that take the tasks, one after the other
  std::uint32_t candidates;    // places of a query in `keys`
  std::uint32_t hits_stride;   // places of a query in `hits`
  std::uint32_t* next_place;   // of a task that no warp has taken
  QueryState* states;
  std::uint32_t* bins;     // kBins a query: documents emitted with such scores
  std::uint64_t* keys;     // score << 32 | ~docID: the better hit is the larger key
  AnswerOfQuery* answers;  // in the host's memory
  HitOnDevice* hits;       // best first; in the host's memory too
  std::uint64_t launch;    // counts the launches with the same answers
  bool early;              // kernels take their places while the one before ends
};

}  // namespace frond::leaf::gpu
