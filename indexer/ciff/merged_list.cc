#include "indexer/ciff/merged_list.h"

#include <string>

namespace frond::indexer::ciff {

Result<std::unique_ptr<MergedList>> MergedList::open(
    std::span<const std::shared_ptr<const partition::Partition>> partitions,
    const std::vector<std::vector<std::uint32_t>>& numbers, std::string_view term) {
  auto merged = std::make_unique<MergedList>();
  for (std::size_t p = 0; p < partitions.size(); ++p) {
    auto list = change::StoredList::open(*partitions[p], term);
    if (!list && list.error().code() == Code::kNotFound) continue;
    if (!list) return std::move(list).error();
    merged->parts_.push_back(std::make_unique<Part>(*std::move(list), numbers[p]));
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
  const postings::PostingList& list = part.stored.postings();
  for (;; ++part.at) {
    if (part.at == part.size) {
      if (part.block == list.blocks()) return {};
      part.size = list.block_size(part.block);
      part.at = 0;
      FROND_TRY(list.decode_docids(part.block, part.docids));
      FROND_TRY(list.decode_frequencies(part.block, part.frequencies));
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
