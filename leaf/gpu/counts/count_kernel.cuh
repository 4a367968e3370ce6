#pragma once
// The kernel that counts, and keeps the first in an order, for lists that `Lists` reads (search/packed_lists.cuh), and
// its launcher.
#include <type_traits>

#include "common/device/launch.cuh"
#include "leaf/gpu/block_steps.cuh"
#include "leaf/gpu/counts/kernels.h"
#include "leaf/gpu/counts/many_values.cuh"
#include "leaf/gpu/counts/tile_scores.cuh"
#include "leaf/gpu/search/packed_lists.cuh"

namespace frond::leaf::gpu::counts {

inline constexpr std::size_t kDeclaredShared = std::size_t{48} << 10;  // at most, of a kernel

// Thread blocks that a processor runs at a time, if shared memory allows: 40 registers a thread. Of an OR with 10
// million postings 5 gave 39,300 queries a second, 6 gave 41,400, 8 (which spill) 24,900; half as large tiles 39,800,
// half as many threads 24,200.
// Where documents are kept in order shared memory has room for 5, with their scores for 2.
template <Orders kOrders>
inline constexpr std::uint32_t kCountBlocks = kOrders == Orders::kNone        ? 6
                                              : kOrders == Orders::kByColumns ? 5
                                                                              : 2;
struct NothingKept {};
template <class Lists, std::uint32_t kThreads>
struct NoScoresKept {
  typename Lists::Scratch scratch[kThreads / 32];
};

// Shared memory of a thread block. Word w of a tile belongs to thread w % kThreads: no other reads or sets it, but for
// mark_documents() and scores.
template <class Lists, std::uint32_t kThreads, std::uint32_t kCounters, Orders kOrders>
struct CountSpace {
  static constexpr std::uint32_t kDocuments = tile_documents(kOrders);
  std::uint32_t found[kDocuments / 32];  // a bit for each document of the tile that matches
  std::uint32_t other[kDocuments / 32];  // of AND: those of one more list; else 0
  std::uint32_t counters[kCounters];
  std::uint32_t any[3];  // of three steps that follow each other: whether documents are left (are_left())
  std::uint32_t matches;
  std::conditional_t<kOrders == Orders::kNone, NothingKept, FirstKeys> kept;
  std::conditional_t<kOrders == Orders::kByScores, search::TileSums<Lists, kThreads, kDocuments>,
                     NoScoresKept<Lists, kThreads>>
      scores;
};

// Scores need more shared memory than a kernel may declare.
template <class Space>
__device__ inline Space& count_space() {
  if constexpr (sizeof(Space) > kDeclaredShared) {
    return device::space_of_block<Space>();
  } else {
    __shared__ Space space;
    return space;
  }
}

// A tile's documents.
struct Tile {
  DocId first;
  std::uint32_t documents, words;
};

// Sets the bits of the list's documents that are in the tile. A warp takes one block after the other.
template <class Lists, std::uint32_t kThreads>
__device__ void mark_documents(const DeviceList& its, const Tile& tile, std::uint32_t* bits,
                               typename Lists::Scratch& scratch) {
  const DeviceList list = its;
  const std::uint32_t lane = lane_of_warp(), warp = threadIdx.x / 32;
  const DocId last = tile.first + tile.documents - 1;
  std::uint32_t block = search::block_of(list, tile.first, search::range_of(list, tile.first)) + warp;
  for (; block < list.block_count; block += kThreads / 32) {
    if (block > 0 && __ldg(&list.blocks[block - 1].last) >= last) break;
    const BlockEntry entry = load_entry(list.blocks + block);
    Four docids;
    Lists::docids(list, block, entry, docid_before(list.blocks, block), lane, scratch, docids);
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t place = docids.at[i] - tile.first;
      if (4 * lane + i < size_of(entry) && place < tile.documents) atomicOr(bits + place / 32, 1u << (place % 32));
    }
  }
}

// The documents of a word by the marks of dense lists.
__device__ inline std::uint32_t dense_word(const CountedQuery& query, const DeviceList* lists, std::uint32_t word) {
  if (query.dense == 0) return 0;
  std::uint32_t bits = __ldg(lists[0].marks + word);
  for (std::uint32_t i = 1; i < query.dense; ++i) {
    const std::uint32_t more = __ldg(lists[i].marks + word);
    bits = query.conjunction ? bits & more : bits | more;
  }
  return bits;
}

// Sets the bits of the documents that have any of the terms.
template <class Lists, std::uint32_t kThreads, class Space>
__device__ void find_any(const CountedQuery& query, const DeviceList* lists, const Tile& tile, Space& space) {
  for (std::uint32_t word = threadIdx.x; word < tile.words; word += kThreads)
    space.found[word] = dense_word(query, lists, tile.first / 32 + word);
  __syncthreads();
  for (std::uint32_t i = query.dense; i < query.lists; ++i)
    mark_documents<Lists, kThreads>(lists[i], tile, space.found, space.scores.scratch[threadIdx.x / 32]);
  __syncthreads();
}

// … that have all of the terms. False: there are none.
template <class Lists, std::uint32_t kThreads, class Space>
__device__ bool find_all(const CountedQuery& query, const DeviceList* lists, const Tile& tile, Space& space,
                         std::uint32_t& step) {
  bool some = query.dense == 0;
  for (std::uint32_t word = threadIdx.x; word < tile.words; word += kThreads) {
    space.found[word] = dense_word(query, lists, tile.first / 32 + word);
    some = some || space.found[word] != 0;
  }
  some = are_left(space.any, step, some);
  for (std::uint32_t i = query.dense; i < query.lists && some; ++i) {
    const bool first = i == 0;
    mark_documents<Lists, kThreads>(lists[i], tile, first ? space.found : space.other,
                                    space.scores.scratch[threadIdx.x / 32]);
    __syncthreads();
    some = false;
    for (std::uint32_t word = threadIdx.x; word < tile.words; word += kThreads) {
      if (!first) {
        space.found[word] &= space.other[word];
        space.other[word] = 0;
      }
      some = some || space.found[word] != 0;
    }
    some = are_left(space.any, step, some);
  }
  return some;
}

template <class Code, class Add>
__device__ inline void for_each_code(const std::byte* codes, DocId first, std::uint32_t bits, const Add& add) {
  const Code* its = reinterpret_cast<const Code*>(codes) + first;
  for (; bits != 0; bits &= bits - 1) add(std::uint32_t{__ldg(its + __ffs(static_cast<int>(bits)) - 1)});
}

// Counts those of the documents found that are not hidden, by code; only these stay found. Returns how many the thread
// has found.
template <std::uint32_t kThreads, std::uint32_t kCounters, class Space>
__device__ std::uint32_t count_found(const CountBatch& batch, const CountedQuery& query, const Tile& tile,
                                     Space& space) {
  std::uint32_t* const rest = batch.counters + query.first_counter;
  std::uint32_t matches = 0;
  for (std::uint32_t word = threadIdx.x; word < tile.words; word += kThreads) {
    std::uint32_t bits = space.found[word];
    if (bits == 0) continue;
    const DocId first = tile.first + 32 * word;
    if (query.hidden != nullptr) {
      bits &= ~__ldg(query.hidden + first / 32);
      space.found[word] = bits;
    }
    matches += static_cast<std::uint32_t>(__popc(bits));
    for (std::uint32_t c = 0; c < query.columns; ++c) {
      const CodesOnDevice column = batch.columns[query.first_column + c];
      if (column.sums != 0) continue;
      const auto add = [&](std::uint32_t code) {
        const std::uint32_t counter = column.first_counter + code;
        atomicAdd(counter < kCounters ? space.counters + counter : rest + counter, 1u);
      };
      if (column.places != nullptr || column.bounds != 0)
        count_by_values<kCounters>(batch.columns + query.first_column + c, batch.bounds, first, bits, space.counters,
                                   rest);
      else if (column.width == 1)
        for_each_code<std::uint8_t>(column.codes, first, bits, add);
      else
        for_each_code<std::uint16_t>(column.codes, first, bits, add);
    }
  }
  if (query.sums != 0) sum_values<kThreads>(batch, query, tile.first, space.found, tile.words);
  return matches;
}

// Mapping: a thread block of kThreads threads for each piece of a query's documents; blocks of the same piece follow
// each other. Result: counters and matches in device memory, which were 0; with orders also the k first documents of
// the piece. Shared memory: a CountSpace.
template <class Lists, std::uint32_t kThreads, std::uint32_t kCounters, Orders kOrders>
__global__ void __launch_bounds__(kThreads, kCountBlocks<kOrders>) count_piece(CountBatch batch) {
  using Space = CountSpace<Lists, kThreads, kCounters, kOrders>;
  Space& space = count_space<Space>();
  const std::uint32_t number = blockIdx.x % batch.query_count;
  const CountedQuery query = batch.queries[number];
  const DeviceList* const lists = batch.lists + query.first_list;
  const std::uint32_t tiles = (query.documents - 1) / Space::kDocuments + 1;
  const std::uint32_t piece = blockIdx.x / batch.query_count, begin = piece * batch.tiles_a_piece;
  const std::uint32_t end = min(begin + batch.tiles_a_piece, tiles);
  if (begin >= end) return;
  const std::uint32_t own = min(query.counters, kCounters);
  for (std::uint32_t i = threadIdx.x; i < own; i += kThreads) space.counters[i] = 0;
  for (std::uint32_t i = threadIdx.x; i < Space::kDocuments / 32; i += kThreads) space.other[i] = 0;
  if (threadIdx.x < 3) space.any[threadIdx.x] = 0;
  if (threadIdx.x == 0) space.matches = 0;
  if constexpr (kOrders != Orders::kNone)
    if (threadIdx.x == 0) clear_kept(space.kept, ~std::uint64_t{0});
  __syncthreads();
  std::uint32_t matches = 0, step = 0;
  for (std::uint32_t number_of_tile = begin; number_of_tile < end; ++number_of_tile) {
    const DocId first = number_of_tile * Space::kDocuments;
    const std::uint32_t documents = min(query.documents - first, Space::kDocuments);
    const Tile tile{first, documents, (documents + 31) / 32};
    if constexpr (kOrders != Orders::kNone)
      if (threadIdx.x == 0) lower_limit(batch, number, space.kept);
    if (!query.conjunction)
      find_any<Lists, kThreads>(query, lists, tile, space);
    else if (!find_all<Lists, kThreads>(query, lists, tile, space, step))
      continue;
    matches += count_found<kThreads, kCounters>(batch, query, tile, space);
    if constexpr (kOrders == Orders::kByColumns)
      keep_found<kThreads>(batch, number, query, first, tile.words, space, step, [&](DocId docid) {
        return key_of(batch.keys + query.first_key, query.keys, docid, NoScores());
      });
    if constexpr (kOrders == Orders::kByScores)
      keep_scored<Lists, kThreads>(batch, number, query, {first, documents}, tile.words, space, step);
  }
  if constexpr (kOrders != Orders::kNone) hand_on<kThreads>(batch, number, piece, query.k, space.kept);
  if (matches != 0) atomicAdd(&space.matches, matches);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < own; i += kThreads)
    if (space.counters[i] != 0) atomicAdd(batch.counters + query.first_counter + i, space.counters[i]);
  if (threadIdx.x == 0 && space.matches != 0) atomicAdd(batch.matches + number, space.matches);
}

// kScoringThreads: where scores are added up, of which a processor runs few thread blocks.
template <class Lists, std::uint32_t kThreads, std::uint32_t kScoringThreads>
Result<void> launch_count_documents(const CountBatch& batch, device::StreamHandle stream) {
  constexpr bool kRoomForMany = sizeof(CountSpace<Lists, kThreads, kManyCounters, Orders::kNone>) <= kDeclaredShared;
  static_assert(sizeof(CountSpace<Lists, kThreads, kFewCounters, Orders::kNone>) <= kDeclaredShared);
  static_assert(sizeof(CountSpace<Lists, kThreads, kFewestCounters, Orders::kByColumns>) <= kDeclaredShared);
  const std::uint32_t blocks = batch.query_count * batch.pieces;
  if (batch.scored != nullptr)
    return device::launch_with_space<CountSpace<Lists, kScoringThreads, kFewestCounters, Orders::kByScores>>(
        "count_documents", count_piece<Lists, kScoringThreads, kFewestCounters, Orders::kByScores>, blocks,
        kScoringThreads, stream, batch);
  auto* kernel = count_piece<Lists, kThreads, kFewCounters, Orders::kNone>;
  if constexpr (kRoomForMany)
    if (batch.most_counters > kFewCounters) kernel = count_piece<Lists, kThreads, kManyCounters, Orders::kNone>;
  if (batch.most_hits > 0) kernel = count_piece<Lists, kThreads, kFewestCounters, Orders::kByColumns>;
  return device::launch("count_documents", kernel, blocks, kThreads, stream, batch);
}

}  // namespace frond::leaf::gpu::counts
