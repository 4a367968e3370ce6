#pragma once
// A batch of queries in device memory, as the kernels read it. PARA of Ao et al. 2011 §3.1 (after Wu et al.): one
// thread for each docID of a query's shortest list. The docIDs are cut into tiles, and one launch has the tiles of all
// queries.
#include <cstdint>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "tools/papers/intersect/list_search.h"
#include "tools/papers/intersect/methods.h"

namespace frond::tools::papers {

inline constexpr std::uint32_t kTile = 256;             // docIDs of a tile, and threads of a thread block
inline constexpr std::uint32_t kMaxSplitterLevels = 4;  // of splitters
inline constexpr std::uint32_t kFinestStride = 32;      // splitter_stride() of the finest level
inline constexpr std::uint32_t kSplitterFan = 16;       // splitters of a level for each one of the next coarser level

// Splitters are docIDs of a list at equal distances. Their positions in a longer list are found first; the docIDs
// between two splitters are then searched only between the two positions. Level 0 is the finest. The function returns
// how many docIDs apart the splitters of a level are.
FROND_HOST_DEVICE constexpr std::uint32_t splitter_stride(std::uint32_t level) {
  std::uint32_t stride = kFinestStride;
  for (std::uint32_t l = 0; l < level; ++l) stride *= kSplitterFan;
  return stride;
}
// How many splitters a list of `count` docIDs has at a level.
FROND_HOST_DEVICE constexpr std::uint32_t splitters_of(std::uint32_t count, std::uint32_t level) {
  const std::uint32_t stride = splitter_stride(level);
  return count / stride + (count % stride != 0);
}

struct QueryOnDevice {
  std::uint32_t first_list = 0, lists = 0;  // in BatchOnDevice::lists; shortest first
  std::uint32_t first_tile = 0;             // every query has at least one tile
  std::uint32_t first_pair = 0;             // of lists - 1 pairs: the shortest list with each other list
};

// The splitters of the shorter list are looked up in the longer one.
struct PairOnDevice {
  std::uint32_t shorter = 0, longer = 0;         // in BatchOnDevice::views
  std::uint32_t first[kMaxSplitterLevels] = {};  // the pair's first splitter of each level, in BatchOnDevice::positions
};

// Pointers are to device memory, except those of the answers: to pinned host memory.
struct BatchOnDevice {
  const ListView* views = nullptr;  // of the index
  const QueryOnDevice* queries = nullptr;
  const std::uint32_t* lists = nullptr;         // indexes of views
  const std::uint32_t* tile_queries = nullptr;  // the query of each tile
  const PairOnDevice* pairs = nullptr;          // none where the method has no splitters
  std::uint32_t* positions = nullptr;           // of splitters in the longer lists
  DocId* found = nullptr;                  // kTile places for each tile: its docIDs that are in all lists, in order
  std::uint32_t* counts = nullptr;         // for each tile: number of docIDs in `found`
  std::uint32_t* begins = nullptr;         // for each tile: sum of the counts before it
  DocId* answers = nullptr;                // docIDs of all queries, one query after the other
  std::uint32_t* answer_begins = nullptr;  // for each query: index of its first answer; then the number of answers
  std::uint32_t query_count = 0, tile_count = 0, pair_count = 0, levels = 0;
  std::uint32_t level_begins[kMaxSplitterLevels + 1] =
      {};  // splitters of level l: [level_begins[l], level_begins[l + 1])
};

// The kernels of a batch of intersections, in the order in which they are launched. Asynchronous. The caller makes sure
// that all arrays have the sizes that BatchOnDevice says. kDevice.

// Finds the positions of the splitters of every query's shortest list in its other lists (Ding et al. 2009 §7), from
// the coarsest level to the finest: a splitter is searched between its neighbours of the coarser level. `batch.levels`
// launches.
Result<void> find_splitters(const BatchOnDevice& batch, device::StreamHandle stream);

// Looks every docID of the shortest lists up in the other lists. After each list, the docIDs of a tile that are left
// move to the tile's first threads, so that idle threads are in whole warps.
Result<void> search_tiles(Kind kind, const BatchOnDevice& batch, device::StreamHandle stream);

// Scan and compaction: sums up the tiles' counts, and writes what they found to the answers, by query and docID.
// `space` is device memory of `bytes` bytes: scan_bytes() of at least the batch's tiles.
Result<std::size_t> scan_bytes(std::uint32_t max_tiles);
Result<void> compact(const BatchOnDevice& batch, std::byte* space, std::size_t bytes, device::StreamHandle stream);

}  // namespace frond::tools::papers
