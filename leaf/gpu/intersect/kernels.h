#pragma once
// The kernels of a batch of intersections, in their order. Asynchronous; sizes are the caller's promise (batch.h).
#include <cstddef>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/intersect/batch.h"
#include "leaf/gpu/intersect/methods.h"

namespace frond::leaf::gpu::intersect {

// Ding et al. 2009 §7: where the splitters of every query's shortest list are in its other lists, from the coarsest
// level to the finest; each is looked for between those of the level before. `batch.levels` launches.
Result<void> find_splitters(const BatchOnDevice& batch, device::StreamHandle stream);

// Looks every docID of the shortest lists up in the other lists. What is left of a tile after one list is moved
// together before the next, so that threads that have nothing to do are whole warps.
Result<void> search_tiles(Kind kind, const BatchOnDevice& batch, device::StreamHandle stream);

// The same for lists of Kind::kBlocks (search_blocks.cu); search_tiles() calls it.
Result<void> search_blocks(const BatchOnDevice& batch, device::StreamHandle stream);

// Scan and compaction: the tiles' counts are summed up, and what they found goes to the answers, in the order of
// queries and docIDs. `space`: scan_bytes() of the most tiles there can be.
Result<std::size_t> scan_bytes(std::uint32_t max_tiles);
Result<void> compact(const BatchOnDevice& batch, std::byte* space, std::size_t bytes, device::StreamHandle stream);

}  // namespace frond::leaf::gpu::intersect
