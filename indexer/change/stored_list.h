#pragma once
// A term's list in a partition, with what holds its bytes.
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "common/codec/list_codec.h"
#include "common/partition/partition.h"
#include "common/postings/posting_list.h"

namespace frond::indexer::change {

// One thread. Of a partition::Partition or a partition::PublishedPartition, which outlives it.
class StoredList {
 public:
  // `beside`: the term's TermCursor::inline_list(), where there is a cursor. kNotFound: the partition does not have the
  // term; kCorrupt.
  template <class Partition>
  static Result<StoredList> open(const Partition& partition, std::string_view term, ByteView beside = {}) {
    StoredList stored;
    std::vector<ByteView> segments;
    if (beside.empty()) {
      stored.pinned_ = FROND_TRY(partition.list(term));
      for (const auto& segment : stored.pinned_.segments) segments.push_back(segment.bytes());
    } else {
      stored.inline_.assign(beside.begin(), beside.end());
      stored.inline_.resize(beside.size() + codec::kReadSlack);
      segments.push_back(ByteView(stored.inline_).first(beside.size()));
    }
    auto list = postings::PostingList::open(segments);
    if (!list) return std::move(list).error().within("list of " + partition::printable(term));
    stored.list_ = *std::move(list);
    for (const ByteView segment : segments) stored.bytes_ += segment.size();
    return stored;
  }

  const postings::PostingList& postings() const { return list_; }
  std::uint64_t bytes() const { return bytes_; }
  // Whether a mapped list could be read; asked after it was.
  Result<void> intact() const {
    for (const auto& segment : pinned_.segments) FROND_TRY(segment.intact());
    return {};
  }

 private:
  partition::TermList pinned_;
  ByteBuffer inline_;
  postings::PostingList list_;
  std::uint64_t bytes_ = 0;
};

}  // namespace frond::indexer::change
