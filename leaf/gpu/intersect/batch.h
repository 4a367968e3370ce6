#pragma once
// A batch of queries as kernels see it: PARA of Ao et al. 2011 §3.1 (after Wu et al.), a thread for each docID of every
// query's shortest list, the tiles of all queries one after the other in one launch.
#include <cstdint>

#include "leaf/gpu/intersect/list_view.h"

namespace frond::leaf::gpu::intersect {

inline constexpr std::uint32_t kTile = 256;        // docIDs of one query's shortest list, and threads of a thread block
inline constexpr std::uint32_t kMaxLevels = 4;    // of splitters
inline constexpr std::uint32_t kFinest = 32;       // docIDs from one splitter of the finest level to the next
inline constexpr std::uint32_t kSplitterFan = 16;  // splitters of a level to one of the next coarser

// docIDs from one splitter of a level to the next; level 0 is the finest.
FROND_HOST_DEVICE constexpr std::uint32_t splitter_stride(std::uint32_t level) {
  std::uint32_t stride = kFinest;
  for (std::uint32_t l = 0; l < level; ++l) stride *= kSplitterFan;
  return stride;
}
FROND_HOST_DEVICE constexpr std::uint32_t splitters_of(std::uint32_t count, std::uint32_t level) {
  const std::uint32_t stride = splitter_stride(level);
  return count / stride + (count % stride != 0);
}

struct QueryOnDevice {
  std::uint32_t first_list = 0, lists = 0;  // in BatchOnDevice::lists; the shortest first
  std::uint32_t first_tile = 0;             // every query has at least one
  std::uint32_t first_pair = 0;             // lists - 1 of them: the shortest with each of the others
};

// Two lists of which the shorter's splitters are looked up in the longer.
struct PairOnDevice {
  std::uint32_t shorter = 0, longer = 0;  // in BatchOnDevice::views
  std::uint32_t first[kMaxLevels] = {};  // the pair's first splitter of each level, in BatchOnDevice::positions
};

// Pointers are the device's, but for the answers, which lie in pinned memory of the host.
struct BatchOnDevice {
  const ListView* views = nullptr;  // of the index
  const QueryOnDevice* queries = nullptr;
  const std::uint32_t* lists = nullptr;  // numbers of views
  const std::uint32_t* tile_queries = nullptr;
  const PairOnDevice* pairs = nullptr;     // none where the method has no splitters
  std::uint32_t* positions = nullptr;      // of the splitters in the longer lists
  DocId* found = nullptr;                  // kTile places a tile: what is left of it, in order
  std::uint32_t* counts = nullptr;         // of them
  std::uint32_t* begins = nullptr;         // the sum of the counts before a tile
  DocId* answers = nullptr;                // all queries' documents, one query after the other
  std::uint32_t* answer_begins = nullptr;  // a query's first among the answers; and one behind all
  std::uint32_t query_count = 0, tile_count = 0, pair_count = 0, levels = 0;
  std::uint32_t level_begins[kMaxLevels + 1] = {};  // splitters of level l: [level_begins[l], level_begins[l + 1])
};

}  // namespace frond::leaf::gpu::intersect
