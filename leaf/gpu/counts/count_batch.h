#pragma once
// A batch of plans whose matches are counted, or put in order, by what their documents have in columns
// (engine/document_codes.h, code_order.h), in device memory: plain structs, which CountBuilder makes and the kernels
// beside read.
//
// How it is counted. A partition's documents are cut into tiles. A thread block takes a query and some tiles, one after
// the other. In shared memory it has a bit for each document of the tile: those of all lists are combined there, dense
// lists by their marks, others decoded. Then each document that matches adds one to the counter of its code, in shared
// memory, too; only what a block has counted over all its tiles is added up in device memory. The blocks of one place
// in the partition and different queries follow each other, so that columns and lists are read from the cache.
//
// How it is ordered. The same walk, and each thread block keeps the k first of its own tiles in shared memory
// (first_keys.cuh). It tells the others the key of its k-th, behind which nothing is among the k first, and writes its
// k to device memory. The last kernel finds the k first of these. Where scores are among the keys tiles are smaller,
// and those of a tile's documents are added up in shared memory before (tile_scores.cuh).
#include <cstddef>
#include <cstdint>

#include "leaf/gpu/batch.h"
#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu {

// What the hits of a batch are ordered by.
enum class Orders : std::uint8_t { kNone, kByColumns, kByScores };  // kByScores: by scores among the keys
// Documents of a tile.
constexpr std::uint32_t tile_documents(Orders orders) { return orders == Orders::kByScores ? 1u << 14 : 1u << 16; }

// Counters of a query, of all columns together. More are left to the CPU.
inline constexpr std::uint32_t kMaxCounters = 1u << 18;
// Counters of a query that a thread block has in shared memory, where all queries of a batch have at most the former,
// or else. Those behind are added to in device memory.
inline constexpr std::uint32_t kFewCounters = 2048, kManyCounters = 7168;
// The same where the thread block also keeps documents in order, which takes most of its shared memory.
inline constexpr std::uint32_t kFewestCounters = 256;
// Columns of all queries of a launch; those of orders likewise.
inline constexpr std::uint32_t kMaxCountedColumns = 4096;
// Documents that a thread block has room for in order, before it drops those behind the k-th.
inline constexpr std::uint32_t kKeptPlaces = 1536;
static_assert(kKeptPlaces > kMaxHits);

// Bounds of all queries of a launch, and of one.
inline constexpr std::uint32_t kMaxBounds = 1u << 16;

struct CodesOnDevice {
  const std::byte* codes;
  const std::uint32_t* places;        // engine::DocumentCodes::places(); null: a code a document
  std::uint32_t width;                // bytes of each
  std::uint32_t first_counter;        // of the query's: that of code 0
  std::uint32_t first_bound, bounds;  // in CountBatch::bounds; none: a code is its own counter
  std::uint32_t sums;                 // codes are summed up: counters are engine::CodeSums, first_counter is even
};

// A part of documents' keys: engine::CodeKey.
struct KeyOnDevice {
  const std::byte* codes;      // null: the part is of the score
  std::uint64_t end, missing;  // CodeKey::end(), and what stands for no value
  std::uint32_t width, bits;   // width: 1, 2, 4 or 8
  std::uint32_t descending;
};

struct CountedQuery {
  const std::uint32_t* hidden;  // a bit for each document that does not match; null: none
  std::uint32_t documents;
  std::uint32_t first_list, lists;  // those with a mark a document first, then by length, the shortest first
  std::uint32_t dense;              // lists with a mark a document
  std::uint32_t first_column, columns;
  std::uint32_t first_counter, counters;  // in CountBatch::counters; first_counter is even
  std::uint32_t sums;                     // whether columns are summed up
  std::uint32_t conjunction;
  // Of a batch with orders: engine::CodeOrder.
  std::uint32_t k = 0;
  std::uint32_t first_key = 0, keys = 0;
  std::uint32_t last_first = 0;
  std::uint32_t after_tie = 0;
  std::uint64_t after_key = 0;
};

struct CountBatch {
  const std::byte* staged;    // queries, lists and columns: from here, in pinned host memory; aligned to 16
  std::byte* input;           // … to here
  std::uint32_t input_bytes;  // a multiple of 16
  std::uint32_t query_count;
  const CountedQuery* queries;
  const DeviceList* lists;
  const CodesOnDevice* columns;
  const std::uint64_t* bounds;
  const KeyOnDevice* keys;
  // Of Orders::kByScores: what scores need of each query, and its terms; else null.
  const QueryOnDevice* scored;
  const TermOnDevice* terms;
  std::uint32_t pieces, tiles_a_piece;  // a thread block for each query and piece
  std::uint32_t counter_count;          // of all queries
  std::uint32_t most_counters;          // of one
  std::uint32_t* counters;              // device memory …
  // … and pinned host memory, where they are delivered; behind them by query most_hits docIDs, the first comes first,
  // and of Orders::kByScores behind all docIDs likewise the scores.
  std::uint32_t* counted;
  std::uint32_t* matches;   // by query
  std::uint64_t* began_ns;  // of the batch
  AnswerOfQuery* answers;   // in pinned host memory
  std::uint64_t launch;     // as BatchOnDevice::launch
  ListCodecs codecs;        // of all lists
  // Of a batch with orders: the greatest k; 0: there are none. What blocks keep is in device memory.
  std::uint32_t most_hits;
  std::uint64_t* limits;      // by query: no document with a greater key is among the k first
  std::uint32_t* held;        // by query and piece: how many of its most_hits places a thread block has filled
  std::uint64_t* first_keys;  // in these: the documents' keys …
  std::uint32_t* kept_ties;   // … and CodeOrder::tie_of()
};

}  // namespace frond::leaf::gpu
