#pragma once
// A list as a method of intersection searches it, on the host or the device; passed and stored by value. What a field
// means depends on the method: plain_search.h, line_search.h, block_form.h. Both pointers are into one image
// (list_form.h), which begins at `payload`.
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"
#include "common/base/ids.h"

namespace frond::leaf::gpu::intersect {

struct alignas(16) ListView {
  const std::byte* payload = nullptr;  // docIDs, u32 each, or compressed
  const std::byte* index = nullptr;    // leads to parts of the payload; may be null
  std::uint64_t slope = 0;             // of the list's regression line, in fixed point
  std::int64_t offset = 0;             // of that line
  std::uint64_t line_slope = 0;        // of the codec's own line
  std::uint32_t count = 0;             // docIDs
  std::uint32_t parts = 0;             // blocks, segments or buckets that the index has entries for
  std::uint32_t shift = 0;             // docID >> shift is its bucket or range
  std::uint32_t left = 0, right = 0;   // largest errors of the regression line, in positions
  std::uint32_t fraction = 0;          // fraction bits of the codec's slopes
};

// Positions [low, high) of a list.
struct Bracket {
  std::uint32_t low = 0, high = 0;
};

FROND_HOST_DEVICE inline const DocId* docids_of(const ListView& list) {
  return reinterpret_cast<const DocId*>(list.payload);
}

}  // namespace frond::leaf::gpu::intersect
