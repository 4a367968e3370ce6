#pragma once
// The image of a list in device memory, as the host plans it: what is copied and where it will lie.
//
//   entry before the first block | a BlockEntry a block | entry behind | table | starts of runs   made on the device
//   best blocks | places of the segments | last block | the segments' blobs, verbatim              copied
//
// The blobs are the very bytes of the host's. The last block is apart where it has fewer than 128 postings (so also for
// a list in the short form): the host decodes its Rice codes once and packs them like a full block, so kernels know one
// kind of block. Everything that the host reads of the blobs it checks; what only the device reads is checked there
// (admit.h).
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/postings/posting_list.h"
#include "leaf/gpu/block_entry.h"

namespace frond::leaf::gpu {

// Blocks with the least deficits that are remembered: what a first threshold is taken from.
inline constexpr std::uint32_t kBestBlocks = 40;

// Where the device finds the index of a segment's streams: offsets in the image.
struct SegmentPlace {
  std::uint32_t last_docids = 0;  // u32 a block
  std::uint32_t deficits = 0;     // u8 a block: steps of 2^deficit_shift above the least
  std::uint32_t min_deficit = 0, deficit_shift = 0;
  struct Stream {
    std::uint32_t begin = 0;        // on 16 bytes
    std::uint32_t units = 0;        // of 16 bytes, that blocks may use
    std::uint32_t widths = 0;       // a byte a block
    std::uint32_t checkpoints = 0;  // on 4 bytes
  } docids, frequencies;
};

class ListImage {
 public:
  // Of a list with at least one posting in a partition of `documents` documents. Borrows the list's bytes. kInvalid: a
  // codec that has no decoder here, or too large; kCorrupt: streams or a last block that don't hold what they should.
  static Result<ListImage> plan(const postings::PostingList& list, std::uint32_t documents);

  std::size_t bytes() const { return bytes_; }
  // The bytes [copied_from(), bytes()) are copied; fill() gives those from `from` on. Between pieces anything may lie.
  // While the list's bytes are in place.
  std::size_t copied_from() const { return best_; }
  void fill(std::size_t from, std::span<std::byte> out) const;
  // As it will be once the image lies at `at`.
  DeviceList at(std::byte* at) const;

  std::uint32_t table_entries() const { return table_entries_; }
  std::size_t segments_offset() const { return segments_; }
  bool has_last_block() const { return has_last_block_; }
  BlockEntry last_block() const { return last_block_; }
  std::uint32_t documents() const { return documents_; }

 private:
  ListImage() = default;
  void lay_out(const postings::PostingList& list);
  Result<void> place_segments(const postings::PostingList& list);
  Result<void> pack_last_block(const postings::PostingList& list);

  std::uint32_t documents_ = 0, block_count_ = 0, count_ = 0, table_shift_ = 0, table_entries_ = 0, best_count_ = 0;
  std::size_t table_ = 0, starts_ = 0, best_ = 0, segments_ = 0, last_ = 0, bytes_ = 0;
  bool has_last_block_ = false;
  BlockEntry last_block_;
  ByteBuffer head_;                                      // best blocks, places, last block
  std::vector<std::pair<std::size_t, ByteView>> blobs_;  // with their offsets
};

}  // namespace frond::leaf::gpu
