#pragma once
// The image of a list in device memory: how it is laid out, and the bytes of it that the host copies there.
//
//   made on the device: entry before the first block | BlockEntry of each block | entry behind | table | starts of runs
//   | places of blocks, where their codecs need more than an entry has | marks
//   copied: best blocks | places of the segments | last block | the segments' blobs
//
// The blobs are copied unchanged, but for segments in a codec that no kernel reads (codecs/served_codecs.h): the host
// decodes these and packs them as simd-bp128. A last block with fewer than 128 postings (so every list in the short
// form) is stored separately: the host decodes its Rice codes and packs them like a full block, so kernels know only
// one kind of block. The host checks what it reads of the blobs; the device checks the rest (list_kernels.h).
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/postings/posting_list.h"
#include "leaf/gpu/block_entry.h"

namespace frond::leaf::gpu {

// Blocks with the lowest deficits that an image names; a query's first threshold is taken from them.
inline constexpr std::uint32_t kBestBlocks = 40;

class ListImage {
 public:
  // Plans the image of a list in a partition of `documents` documents. Keeps references to the list's bytes. kInvalid:
  // a list or partition that is too large. kCorrupt: a last block, or a segment to pack again, that cannot be decoded.
  // REQUIRES: the list has a posting.
  static Result<ListImage> plan(const postings::PostingList& list, std::uint32_t documents);

  std::size_t bytes() const { return bytes_; }
  // The host copies bytes [copied_from(), bytes()). fill() writes those from `from` on to `out`; gaps between parts are
  // left as they are.
  // REQUIRES: the list's bytes are still in place.
  std::size_t copied_from() const { return best_; }
  void fill(std::size_t from, std::span<std::byte> out) const;
  // The list when its image is at `at`.
  DeviceList at(std::byte* at) const;

  std::uint32_t mark_words() const { return static_cast<std::uint32_t>((best_ - marks_) / 4); }
  std::uint32_t table_entries() const { return table_entries_; }
  std::size_t segments_offset() const { return segments_; }
  bool has_last_block() const { return has_last_block_; }
  BlockEntry last_block() const { return last_block_; }
  std::uint32_t documents() const { return documents_; }
  ListCodecs codecs() const { return codecs_; }

 private:
  ListImage() = default;
  Result<void> place_segments(const postings::PostingList& list);
  void lay_out(const postings::PostingList& list);
  Result<void> pack_last_block(const postings::PostingList& list);
  Result<ByteView> pack_again(const postings::ListView& segment);

  std::uint32_t documents_ = 0, block_count_ = 0, count_ = 0, table_shift_ = 0, marks_shift_ = 0, table_entries_ = 0,
                best_count_ = 0;
  std::size_t table_ = 0, starts_ = 0, marks_ = 0, best_ = 0, segments_ = 0, last_ = 0, bytes_ = 0;
  bool has_last_block_ = false;
  BlockEntry last_block_;
  ListCodecs codecs_ = kNoCodecs;
  std::vector<SegmentPlace> places_;
  ByteBuffer head_;                                        // copied: best blocks, segments' places, last block
  std::vector<std::pair<std::size_t, ByteView>> blobs_;    // copied: offset in the image, bytes
  std::vector<std::unique_ptr<ByteBuffer>> packed_again_;  // what some of these bytes are of
};

}  // namespace frond::leaf::gpu
