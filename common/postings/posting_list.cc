#include "common/postings/posting_list.h"

#include <algorithm>
#include <string>

namespace frond::postings {
namespace {

Error corrupt(std::size_t segment, const char* what) {
  return Error(Code::kCorrupt, "segment " + std::to_string(segment) + ": " + what);
}

}  // namespace

Result<PostingList> PostingList::open(std::span<const ByteView> segments) {
  PostingList list;
  list.segments_.reserve(segments.size());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    auto opened = ListView::open(segments[i]);
    if (!opened) return std::move(opened).error().within("segment " + std::to_string(i));
    const ListView& view = *opened;
    if (i + 1 < segments.size() && view.count() != kSegmentPostings)
      return corrupt(i, "is not full, but another follows");
    if (i > 0 && view.last_docid() <= list.segments_.back().last_docid())
      return corrupt(i, "does not ascend from the one before");
    list.count_ += view.count();
    list.blocks_ += view.blocks();
    list.list_deficit_ = std::min(list.list_deficit_, view.list_deficit());
    list.segments_.push_back(view);
  }
  return list;
}

std::uint32_t PostingList::find_block(DocId target, std::uint32_t from) const {
  if (from >= blocks_) return blocks_;
  std::uint32_t segment = from / kSegmentBlocks, inside = from % kSegmentBlocks;
  const auto segments = static_cast<std::uint32_t>(segments_.size());
  while (segment < segments && segments_[segment].last_docid() < target) ++segment, inside = 0;
  return segment == segments ? blocks_ : segment * kSegmentBlocks + segments_[segment].find_block(target, inside);
}

scoring::PackedDeficit PostingList::least_deficit(std::uint32_t first, std::uint32_t last) const {
  scoring::PackedDeficit least = block_deficit(first);
  for (std::uint32_t block = first + 1; block <= last;) {
    // As far as one segment goes, whose deficits lie side by side.
    const std::uint32_t end = std::min(last, block | (kSegmentBlocks - 1)) + 1;
    least = std::min(least, segment_of(block).least_deficit(block % kSegmentBlocks, end - block));
    block = end;
  }
  return least;
}

Result<void> PostingList::decode_first_docids(std::uint32_t block, BlockBuffer out) const {
  FROND_TRY(segment_of(block).decode_docids(0, out));
  if (block > 0 && out[0] <= last_docid(block - 1))
    return corrupt(block / kSegmentBlocks, "does not ascend from the one before");
  return {};
}

}  // namespace frond::postings
