#pragma once
// A list as one method of intersection searches it, on the host or the device; passed and stored by value. Which fields
// mean what is said by the method: plain_search.h, line_search.h, block_form.h. All places a view points to are in one
// image (list_form.h), which begins with `payload`.
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"
#include "common/base/ids.h"

namespace frond::leaf::gpu::intersect {

struct alignas(16) ListView {
  const std::byte* payload = nullptr;  // docIDs, u32 each; or deviations in compressed form
  const std::byte* index = nullptr;    // what leads to a part of the payload; may be null
  std::uint64_t slope = 0;             // of a line, in fixed point
  std::int64_t offset = 0;             // of that line
  std::uint64_t line_slope = 0;        // of the codec's own line
  std::uint32_t count = 0;             // docIDs
  std::uint32_t parts = 0;             // entries of the index, less one that is behind them
  std::uint32_t shift = 0;             // bits of a docID below its bucket's number
  std::uint32_t left = 0, right = 0;   // positions that the line may be wrong by
  std::uint32_t fraction = 0;          // bits of fraction of the codec's slopes
};

// Positions [low, high) of a list.
struct Bracket {
  std::uint32_t low = 0, high = 0;
};

FROND_HOST_DEVICE inline const DocId* docids_of(const ListView& list) {
  return reinterpret_cast<const DocId*>(list.payload);
}

}  // namespace frond::leaf::gpu::intersect
