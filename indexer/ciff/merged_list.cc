#include "indexer/ciff/merged_list.h"

#include <string>

namespace frond::indexer::ciff {

Result<std::unique_ptr<MergedList>> MergedList::open(
    std::span<const std::shared_ptr<const partition::Partition>> partitions,
    const std::vector<std::vector<std::uint32_t>>& numbers, std::string_view term) {
  auto merged = std::make_unique<MergedList>();
  for (std::size_t p = 0; p < partitions.size(); ++p) {
    Result<partition::TermList> list = partitions[p]->list(term);
    if (!list && list.error().code() == Code::kNotFound) continue;
    if (!list) return std::move(list).error();
    auto part = std::make_unique<Part>();
    part->pinned = *std::move(list);
    std::vector<ByteView> segments;
    for (const auto& segment : part->pinned.segments) segments.push_back(segment.bytes());
    part->list = FROND_TRY(postings::PostingList::open(segments));
    part->numbers = numbers[p];
    merged->parts_.push_back(std::move(part));
  }
  FROND_TRY(merged->rewind());
  return merged;
}

Result<void> MergedList::rewind() {
  heads_ = {};
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i]->block = parts_[i]->size = parts_[i]->at = 0;
    FROND_TRY(advance(i));
  }
  return {};
}

// Puts the part's next posting among the heads, unless there is none.
Result<void> MergedList::advance(std::size_t i) {
  Part& part = *parts_[i];
  for (;; ++part.at) {
    if (part.at == part.size) {
      if (part.block == part.list.blocks()) return {};
      part.size = part.list.block_size(part.block);
      part.at = 0;
      FROND_TRY(part.list.decode_docids(part.block, part.docids));
      FROND_TRY(part.list.decode_frequencies(part.block, part.frequencies));
      ++part.block;
    }
    const std::uint32_t docid = part.docids[part.at];
    if (docid >= part.numbers.size())
      return Error(Code::kCorrupt, "docID " + std::to_string(docid) + " is no document");
    if (part.numbers[docid] == kNoDoc) continue;
    heads_.push({part.numbers[docid], i});
    return {};
  }
}

Result<std::optional<MergedPosting>> MergedList::next() {
  if (heads_.empty()) return std::optional<MergedPosting>();
  const Head head = heads_.top();
  heads_.pop();
  Part& part = *parts_[head.part];
  const MergedPosting posting{head.document, part.frequencies[part.at]};
  ++part.at;
  FROND_TRY(advance(head.part));
  return std::optional<MergedPosting>(posting);
}

}  // namespace frond::indexer::ciff
