#pragma once
// A batch of plans whose matches are counted by what their documents have in columns (engine/document_codes.h), in
// device memory: plain structs, which CountBuilder makes and the kernels beside read.
//
// How it is counted. A partition's documents are cut into tiles. A thread block takes a query and some tiles, one after
// the other. In shared memory it has a bit for each document of the tile: those of all lists are combined there, dense
// lists by their marks, others decoded. Then each document that matches adds one to the counter of its code, in shared
// memory, too; only what a block has counted over all its tiles is added up in device memory. The blocks of one place
// in the partition and different queries follow each other, so that columns and lists are read from the cache.
#include <cstddef>
#include <cstdint>

#include "leaf/gpu/batch.h"

namespace frond::leaf::gpu {

inline constexpr std::uint32_t kTileDocuments = 1u << 16, kTileWords = kTileDocuments / 32;
// Counters of a query, of all columns together. More are left to the CPU.
inline constexpr std::uint32_t kMaxCounters = 1u << 18;
// Counters of a query that a thread block has in shared memory, where all queries of a batch have at most the former,
// or else. Those behind are added to in device memory.
inline constexpr std::uint32_t kFewCounters = 2048, kManyCounters = 7168;
// Columns of all queries of a launch.
inline constexpr std::uint32_t kMaxCountedColumns = 4096;

struct CodesOnDevice {
  const std::byte* codes;
  std::uint32_t width;          // bytes of each: 1 or 2
  std::uint32_t first_counter;  // of the query's: that of code 0
};

struct CountedQuery {
  const std::uint32_t* hidden;  // a bit for each document that does not match; null: none
  std::uint32_t documents;
  std::uint32_t first_list, lists;  // those with a mark a document first, then by length, the shortest first
  std::uint32_t dense;              // lists with a mark a document
  std::uint32_t first_column, columns;
  std::uint32_t first_counter, counters;  // in CountBatch::counters
  std::uint32_t conjunction;
};

struct CountBatch {
  const std::byte* staged;    // queries, lists and columns: from here, in pinned host memory; aligned to 16
  std::byte* input;           // … to here
  std::uint32_t input_bytes;  // a multiple of 16
  std::uint32_t query_count;
  const CountedQuery* queries;
  const DeviceList* lists;
  const CodesOnDevice* columns;
  std::uint32_t pieces, tiles_a_piece;  // a thread block for each query and piece
  std::uint32_t counter_count;          // of all queries
  std::uint32_t most_counters;          // of one
  std::uint32_t* counters;              // device memory …
  std::uint32_t* counted;               // … and pinned host memory, where they are delivered
  std::uint32_t* matches;               // by query
  std::uint64_t* began_ns;              // of the batch
  AnswerOfQuery* answers;               // in pinned host memory
  std::uint64_t launch;                 // as BatchOnDevice::launch
  ListCodecs codecs;                    // of all lists
};

}  // namespace frond::leaf::gpu
