#pragma once
// Splits postings to the groups of partitions, in order of terms and documents.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/postings/posting_list.h"
#include "indexer/invert/document_deal.h"
#include "indexer/publish/list_stream.h"

namespace frond::indexer::publish {

// The groups of one partition. A piece is ended when the posting behind it is known, or that there is none.
class GroupsOfPartition {
 public:
  explicit GroupsOfPartition(std::size_t postings) : expected_(std::min<std::size_t>(postings, kMostExpected)) {}

  bool in_term() const { return postings_ > 0; }
  void add(std::string_view term, DocId docid, Frequency frequency) {
    if (postings_ == postings::kSegmentPostings) end_piece(term, /*last=*/false);
    if (groups_.empty() || (postings_ == 0 && groups_.back().bytes >= kPostingGroupBytes)) begin_group();
    PostingGroup& group = groups_.back();
    group.docids.push_back(docid);
    group.frequencies.push_back(frequency);
    ++postings_;
  }
  // Room for further postings of the term, which the caller fills: at most `wanted`, at least one.
  struct Room {
    DocId* docids;
    Frequency* frequencies;
    std::size_t count;
  };
  Room room(std::string_view term, std::size_t wanted) {
    if (postings_ == postings::kSegmentPostings) end_piece(term, /*last=*/false);
    if (groups_.empty() || (postings_ == 0 && groups_.back().bytes >= kPostingGroupBytes)) begin_group();
    PostingGroup& group = groups_.back();
    const std::size_t begin = group.docids.size(), count = std::min(wanted, postings::kSegmentPostings - postings_);
    group.docids.resize(begin + count);
    group.frequencies.resize(begin + count);
    postings_ += count;
    return {group.docids.data() + begin, group.frequencies.data() + begin, count};
  }
  void end_term(std::string_view term) {
    end_piece(term, /*last=*/true);
    first_ = true;
  }
  std::vector<PostingGroup> take() { return std::move(groups_); }

 private:
  static constexpr std::size_t kMostExpected = kPostingGroupBytes / (sizeof(DocId) + sizeof(Frequency));
  void begin_group() {
    PostingGroup& group = groups_.emplace_back();
    group.docids.reserve(expected_);
    group.frequencies.reserve(expected_);
  }
  void end_piece(std::string_view term, bool last) {
    PostingGroup& group = groups_.back();
    group.pieces.push_back({std::string(term), group.docids.size(), first_, last});
    group.bytes += postings_ * (sizeof(DocId) + sizeof(Frequency)) + sizeof(PostingGroup::Piece) + term.size();
    postings_ = 0;
    first_ = false;
  }

  const std::size_t expected_;  // postings of a group
  std::vector<PostingGroup> groups_;
  std::size_t postings_ = 0;  // of the piece at hand
  bool first_ = true;         // it is its term's first one
};

// One thread.
class PostingSplitter {
 public:
  // postings: about as many will come.
  PostingSplitter(std::uint32_t partitions, std::size_t postings)
      : deal_(partitions), all_(partitions, GroupsOfPartition(postings / partitions * 9 / 8 + std::size_t{16})) {}

  // Of the only partition: postings need not be given one by one.
  bool is_one() const { return all_.size() == 1; }
  GroupsOfPartition::Room room(std::string_view term, std::size_t wanted) {
    if (!all_[0].in_term()) open_.push_back(0);
    return all_[0].room(term, wanted);
  }
  // A posting of the term at hand. Documents ascend.
  void add(std::string_view term, std::uint64_t document, Frequency frequency) {
    const auto to = deal_.place_of(document);
    GroupsOfPartition& groups = all_[to.partition];
    if (!groups.in_term()) open_.push_back(to.partition);
    groups.add(term, to.docid, frequency);
  }
  void end_term(std::string_view term) {
    for (const std::uint32_t partition : open_) all_[partition].end_term(term);
    open_.clear();
  }
  // By partition.
  std::vector<std::vector<PostingGroup>> take() {
    std::vector<std::vector<PostingGroup>> groups;
    groups.reserve(all_.size());
    for (GroupsOfPartition& one : all_) groups.push_back(one.take());
    return groups;
  }

 private:
  const invert::DocumentDeal deal_;
  std::vector<GroupsOfPartition> all_;
  std::vector<std::uint32_t> open_;  // partitions with postings of the term at hand
};

}  // namespace frond::indexer::publish
