#pragma once
// Layout of a list in device memory: an entry of 16 bytes for every block, so that one load gives its last docID, its
// highest score and where its numbers lie. Entries are made on the device when a list is copied there (list_kernels.h),
// from the blob's own index.
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"

namespace frond::leaf::gpu {

// Where a packed block of 128 numbers lies, and its width in bits: the distance from the begin of the image, in units
// of 16 bytes, << 6 | width.
using PackedPlace = std::uint32_t;
// Equal to postings::kSegmentBlocks, whose header kernels do not need.
inline constexpr std::uint32_t kSegmentBlocks = 2048;
inline constexpr std::size_t kMaxImageBytes = std::size_t{1} << 30;  // the limit of PackedPlace

FROND_HOST_DEVICE constexpr PackedPlace packed_place(std::uint32_t unit, std::uint32_t width) {
  return unit << 6 | width;
}
FROND_HOST_DEVICE constexpr std::uint32_t width_of(PackedPlace place) { return place & 63; }
FROND_HOST_DEVICE constexpr std::size_t offset_of(PackedPlace place) { return std::size_t{place >> 6} * 16; }

struct alignas(16) BlockEntry {
  std::uint32_t last = 0;  // last docID; kNoDoc in the entries before the first block and behind the last one
  // Where the numbers lie, if their codec packs a block at one width (in_entry() in codecs/stream_lists.cuh); else
  // SegmentPlace::Stream::places has it. A block of fewer than 128 postings is packed as simd-bp128, whatever the
  // codec.
  PackedPlace docids = 0;
  PackedPlace frequencies = 0;
  std::uint32_t deficit_and_count = 0;  // packed deficit << 16 | number of postings, 1 .. 128
};

// A segment of a list in the image. Offsets are bytes from the begin of the image. All is 0 in a segment of fewer than
// 128 postings.
struct SegmentPlace {
  std::uint32_t last_docids = 0;  // u32 for each block
  std::uint32_t deficits = 0;     // u8 for each block: (deficit - min_deficit) >> deficit_shift
  std::uint32_t min_deficit = 0, deficit_shift = 0;
  std::uint32_t count = 0;  // postings
  struct Stream {
    std::uint32_t begin = 0;   // aligned to 16
    std::uint32_t size = 0;    // bytes, a multiple of 16
    std::uint32_t places = 0;  // the codec's Place for each full block, made on the device; 0: in the entries
    std::uint32_t codec = 0;   // its id
  } docids, frequencies;
};

// Which search kernel can read a list, or all lists of a batch: the one for a codec of docIDs (its id), with the codec
// of frequencies that belongs to it (codecs/served_codecs.h), or a special one.
using ListCodecs = std::uint8_t;
inline constexpr ListCodecs kMixedCodecs = 0;   // the kernel that looks up the codecs of each block
inline constexpr ListCodecs kPackedCodecs = 1;  // simd-bp128 for both
inline constexpr ListCodecs kNoCodecs = 0xff;   // any kernel: no block of 128 postings
FROND_HOST_DEVICE constexpr ListCodecs for_both(ListCodecs one, ListCodecs other) {
  return one == kNoCodecs || one == other ? other : other == kNoCodecs ? one : kMixedCodecs;
}

// A block's 128 docIDs are 8 runs of 16. Each run can be decoded alone (DeviceList::starts).
inline constexpr std::uint32_t kRunLength = 16, kRuns = 8;

// A list on the device. All pointers are to device memory; kernels get the struct by value.
struct DeviceList {
  const std::byte* image = nullptr;    // aligned to 16
  const BlockEntry* blocks = nullptr;  // blocks[-1] and blocks[block_count] are readable
  // table[r], for the docIDs of range r = docID >> table_shift: the first block whose last docID is not below the
  // range. One more entry than ranges.
  const std::uint32_t* table = nullptr;
  // Bit r % 32 of word r / 32 tells whether a document of range r = docID >> marks_shift is in the list.
  const std::uint32_t* marks = nullptr;
  const std::uint32_t* starts = nullptr;  // for each run: the docID before it; kRuns a block, aligned to 32
  const std::uint32_t* best = nullptr;    // blocks with the lowest deficits, lowest first
  const SegmentPlace* segments = nullptr;
  std::uint32_t block_count = 0, table_shift = 0, marks_shift = 0, best_count = 0;
  std::uint32_t count = 0;  // postings
  ListCodecs codecs = kNoCodecs;
};

}  // namespace frond::leaf::gpu
