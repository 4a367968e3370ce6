#pragma once
// One term's whole list in a partition: its segments as one sequence of blocks. Block i lies in segment i /
// kSegmentBlocks.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/codec/list_codec.h"
#include "common/postings/long_form.h"
#include "common/postings/short_form.h"
#include "common/scoring/bm25.h"

namespace frond::postings {

using codec::kBlockLength;
using BlockBuffer = std::span<std::uint32_t, kBlockLength>;

// Postings in every segment of a list but its last: 2048 blocks, at most 2.1 MB whatever the numbers are, so that no
// value is larger than 4 MiB.
inline constexpr std::uint32_t kSegmentPostings = 1u << 18;
inline constexpr std::uint32_t kSegmentBlocks = kSegmentPostings / kBlockLength;

// Reads a list blob in place: the bytes of one posting list, or of one segment of a long one. They are the same in
// RocksDB, host memory and GPU memory. Format: docs/formats/list-blob.md.
//
// A view borrows the bytes, which have codec::kReadSlack readable bytes after them, and may lie at any alignment.
// open() validates the header in O(1), and the docIDs of a short list; decode_* check each block's bounds. Any bytes
// give kCorrupt or garbage numbers, never an access outside them. docIDs from decode_docids() ascend strictly, are
// greater than the last docID of the previous block, and end with the block's last docID, which is at most the view's.
// Copyable; all methods may be called from any thread.
class ListView {
 public:
  static Result<ListView> open(ByteView blob);

  std::uint32_t count() const { return count_; }    // postings, at least 1
  std::uint32_t blocks() const { return blocks_; }  // ceil(count / 128)
  std::uint32_t block_size(std::uint32_t block) const {
    return block + 1 < blocks_ ? kBlockLength : count_ - block * kBlockLength;
  }
  DocId last_docid(std::uint32_t block) const {
    return last_docids_ ? load_le<DocId>(last_docids_ + std::size_t{block} * 4) : short_.last_docid;
  }
  DocId last_docid() const { return last_docid(blocks_ - 1); }
  // The first block >= from whose last docID is >= target; blocks() if none. Galloping search: near targets are cheap.
  std::uint32_t find_block(DocId target, std::uint32_t from) const;
  // The least saturation deficit (scoring/bm25.h) of the block's postings, and of the whole view.
  scoring::PackedDeficit block_deficit(std::uint32_t block) const {
    return deficits_ ? scale_.at(static_cast<std::uint8_t>(deficits_[block])) : scale_.min;
  }
  // The least of `count` blocks from `first` on; count > 0.
  scoring::PackedDeficit least_deficit(std::uint32_t first, std::uint32_t count) const {
    if (!deficits_) return scale_.min;
    std::uint8_t least = 0xff;
    for (std::size_t i = 0; i < count; ++i) least = std::min(least, static_cast<std::uint8_t>(deficits_[first + i]));
    return scale_.at(least);
  }
  scoring::PackedDeficit list_deficit() const { return scale_.min; }
  // A deficit that kBestRanks[i] postings of this view (long_form.h) do not exceed, which bounds their scores from
  // below. kNoDeficit if none is stored.
  scoring::PackedDeficit best_deficit(std::size_t i) const {
    return best_[i] == kNoSteps ? kNoDeficit : scale_.at(best_[i]);
  }

  // Decode to out[0 .. block_size(block)); the rest of `out` may be overwritten. block < blocks().
  Result<void> decode_docids(std::uint32_t block, BlockBuffer out) const;
  Result<void> decode_frequencies(std::uint32_t block, BlockBuffer out) const;

  // Prefetches what an evaluation reads first: the begins of the sections, or all of a small blob.
  void prefetch() const;

  // Null for the short form, which has its own code.
  const codec::ListCodec* docid_codec() const { return docid_codec_; }
  const codec::ListCodec* frequency_codec() const { return frequency_codec_; }
  // Bytes by part, for size reports. Their sum is the blob's size.
  struct Sizes {
    std::size_t header = 0, index = 0, bounds = 0, docids = 0, frequencies = 0;
  };
  Sizes sizes() const;
  ByteView bytes() const { return blob_; }

 private:
  ListView() = default;
  static Result<ListView> open_long(ByteView blob);

  ByteView blob_;
  std::uint32_t count_ = 0;
  std::uint32_t blocks_ = 0;
  DeficitScale scale_;
  std::array<std::uint8_t, kBestRanks.size()> best_ = {kNoSteps, kNoSteps, kNoSteps};
  const codec::ListCodec* docid_codec_ = nullptr;  // both null: the short form
  const codec::ListCodec* frequency_codec_ = nullptr;
  const std::byte* last_docids_ = nullptr;  // long form: u32 a block
  const std::byte* deficits_ = nullptr;     // long form: u8 a block
  ByteView docids_;
  ByteView frequencies_;
  ShortForm short_;
};

class PostingList {
 public:
  // Opens a list of segments, in order; of none, a list without postings. Errors: kCorrupt if a segment does not open,
  // is out of order, or is not full although another follows.
  static Result<PostingList> open(std::span<const ByteView> segments);

  std::uint64_t count() const { return count_; }  // document frequency in the partition
  std::uint32_t blocks() const { return blocks_; }
  std::uint32_t block_size(std::uint32_t block) const { return segment_of(block).block_size(block % kSegmentBlocks); }
  DocId last_docid(std::uint32_t block) const { return segment_of(block).last_docid(block % kSegmentBlocks); }
  std::uint32_t find_block(DocId target, std::uint32_t from) const;  // as ListView's
  scoring::PackedDeficit block_deficit(std::uint32_t block) const {
    return segment_of(block).block_deficit(block % kSegmentBlocks);
  }
  // The least of blocks first .. last.
  scoring::PackedDeficit least_deficit(std::uint32_t first, std::uint32_t last) const;
  scoring::PackedDeficit list_deficit() const { return list_deficit_; }
  // A deficit that kBestRanks[i] postings of the list (long_form.h) do not exceed; kNoDeficit: not stored. The least of
  // the segments': each of them has so many postings by itself.
  scoring::PackedDeficit best_deficit(std::size_t i) const {
    scoring::PackedDeficit least = kNoDeficit;
    for (const auto& segment : segments_) least = std::min(least, segment.best_deficit(i));
    return least;
  }
  // docIDs of a segment are absolute: no state crosses segments, but they must ascend from one to the next.
  Result<void> decode_docids(std::uint32_t block, BlockBuffer out) const {
    const std::uint32_t inside = block % kSegmentBlocks;
    return inside ? segment_of(block).decode_docids(inside, out) : decode_first_docids(block, out);
  }
  Result<void> decode_frequencies(std::uint32_t block, BlockBuffer out) const {
    return segment_of(block).decode_frequencies(block % kSegmentBlocks, out);
  }
  // Prefetches what an evaluation reads first; evaluating short lists waits for little else.
  void prefetch() const {
    for (const auto& segment : segments_) segment.prefetch();
  }
  std::span<const ListView> segments() const { return segments_; }

 private:
  Result<void> decode_first_docids(std::uint32_t block, BlockBuffer out) const;
  const ListView& segment_of(std::uint32_t block) const { return segments_[block / kSegmentBlocks]; }
  std::vector<ListView> segments_;
  std::uint64_t count_ = 0;
  std::uint32_t blocks_ = 0;
  scoring::PackedDeficit list_deficit_ = 0xffff;
};

}  // namespace frond::postings
