#pragma once
// The kernels of a batch of intersections, in the order in which they are launched. Asynchronous. The caller makes sure
// that all arrays have the sizes that batch.h says. kDevice.
#include <cstddef>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/intersect/batch.h"
#include "leaf/gpu/intersect/methods.h"

namespace frond::leaf::gpu::intersect {

// Finds the positions of the splitters of every query's shortest list in its other lists (Ding et al. 2009 §7), from
// the coarsest level to the finest: a splitter is searched between its neighbours of the coarser level. `batch.levels`
// launches.
Result<void> find_splitters(const BatchOnDevice& batch, device::StreamHandle stream);

// Looks every docID of the shortest lists up in the other lists. After each list, the docIDs of a tile that are left
// move to the tile's first threads, so that idle threads are in whole warps.
Result<void> search_tiles(Kind kind, const BatchOnDevice& batch, device::StreamHandle stream);

// The same for lists of Kind::kBlocks and kParaPFor (search_blocks.cu). Called by search_tiles().
Result<void> search_blocks(Kind kind, const BatchOnDevice& batch, device::StreamHandle stream);

// Scan and compaction: sums up the tiles' counts, and writes what they found to the answers, by query and docID.
// `space` is device memory of `bytes` bytes: scan_bytes() of at least the batch's tiles.
Result<std::size_t> scan_bytes(std::uint32_t max_tiles);
Result<void> compact(const BatchOnDevice& batch, std::byte* space, std::size_t bytes, device::StreamHandle stream);

}  // namespace frond::leaf::gpu::intersect
