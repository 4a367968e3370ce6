#pragma once
// What the device keeps of every block of a list, in 16 bytes: one load tells where a block ends, what it can score and
// where its numbers lie. Made on the device when a list is copied there (admit.h), from the blob's own index.
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"

namespace frond::leaf::gpu {

// Where a packed block of 128 numbers lies: units of 16 bytes from the image's begin, and the width in the low 6 bits.
using PackedPlace = std::uint32_t;
inline constexpr std::uint32_t kSegmentBlocks = 2048;  // as postings::kSegmentBlocks: kernels need nothing else of it
inline constexpr std::size_t kMaxImageBytes = std::size_t{1} << 30;  // what a PackedPlace reaches

FROND_HOST_DEVICE constexpr PackedPlace packed_place(std::uint32_t unit, std::uint32_t width) {
  return unit << 6 | width;
}
FROND_HOST_DEVICE constexpr std::uint32_t width_of(PackedPlace place) { return place & 63; }
FROND_HOST_DEVICE constexpr std::size_t offset_of(PackedPlace place) { return std::size_t{place >> 6} * 16; }

struct alignas(16) BlockEntry {
  std::uint32_t last = 0;  // docID; kNoDoc in the entries before the first block and behind the last
  PackedPlace docids = 0;
  PackedPlace frequencies = 0;
  std::uint32_t deficit_and_count = 0;  // packed deficit << 16 | postings, 1 .. 128
};

// A block's 128 docIDs are 8 runs of 16, each of which can be decoded alone.
inline constexpr std::uint32_t kRunLength = 16, kRuns = 8;

// A list on the device. Pointers are the device's; the struct is passed to kernels by value.
struct DeviceList {
  const std::byte* image = nullptr;
  const BlockEntry* blocks = nullptr;  // blocks[-1] and blocks[block_count] can be read too
  // table[d >> table_shift]: the first block whose last docID is at or behind the first document of d's range. Has an
  // entry for the range behind the last document too.
  const std::uint32_t* table = nullptr;
  const std::uint32_t* starts = nullptr;  // kRuns a block: what a run's distances are added to; on 32 bytes
  const std::uint32_t* best = nullptr;    // the blocks with the least deficits, ascending
  std::uint32_t block_count = 0, table_shift = 0, best_count = 0, count = 0;
};

}  // namespace frond::leaf::gpu
