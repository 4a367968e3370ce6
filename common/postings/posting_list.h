#pragma once
// One term's whole list in a partition: its segments as one sequence of blocks. Block i lies in segment i /
// kSegmentBlocks.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/postings/list_view.h"

namespace frond::postings {

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
