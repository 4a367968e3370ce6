#include "indexer/publish/dealt_postings.h"

#include <algorithm>
#include <utility>

#include "common/postings/list_view.h"
#include "indexer/invert/document_deal.h"
#include "indexer/pipeline/memory.h"

namespace frond::indexer::publish {
namespace {

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
  void end_term(std::string_view term) {
    end_piece(term, /*last=*/true);
    first_ = true;
  }
  std::vector<PostingGroup> take() { return std::move(groups_); }

 private:
  static constexpr std::size_t kMostExpected = kPostingGroupBytes / (sizeof(DocId) + sizeof(Frequency)) * 2;
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

}  // namespace

DealtSlice deal(const runs::PostingSlices& from, const runs::PostingSlice& slice, std::uint32_t partitions) {
  const invert::DocumentDeal dealt(partitions);
  const std::uint64_t base = from.first_document();
  std::vector<GroupsOfPartition> all(partitions,
                                     GroupsOfPartition(slice.numbers.size() / partitions * 9 / 8 + std::size_t{16}));
  std::vector<std::uint32_t> open;  // partitions with postings of the term at hand
  DealtSlice made;
  made.terms.reserve(slice.end - slice.first);
  std::size_t at = 0;
  for (std::size_t place = slice.first; place < slice.end; ++place) {
    const std::string_view term = from.term(place);
    const std::size_t end = at + from.postings_of(place);
    DealtSlice::Statistics& statistics = made.terms.emplace_back();
    while (at < end) {
      const std::uint32_t number = slice.numbers[at];
      Frequency frequency = 0;
      for (; at < end && slice.numbers[at] == number; ++at) frequency += slice.frequencies[at];
      ++statistics.document_frequency;
      statistics.occurrences += frequency;
      const auto to = dealt.place_of(base + number);
      if (!all[to.partition].in_term()) open.push_back(to.partition);
      all[to.partition].add(term, to.docid, frequency);
    }
    for (const std::uint32_t partition : open) all[partition].end_term(term);
    open.clear();
  }
  made.groups.reserve(partitions);
  for (GroupsOfPartition& one : all) made.groups.push_back(one.take());
  return made;
}

Result<void> deal_postings(runs::PostingSlices& from, std::vector<std::unique_ptr<Groups>>& to, WrittenTerms* terms,
                           TaskPool& pool, std::stop_token stop) {
  const auto partitions = static_cast<std::uint32_t>(to.size());
  OrderedTasks<DealtSlice> tasks(
      pool, (pool.threads() + 2) * pipeline::kHeldSlicePostings * (sizeof(DocId) + sizeof(Frequency)));
  std::size_t place = 0;  // of the next term
  const auto give_terms = [&](const std::vector<DealtSlice::Statistics>& some) -> Result<void> {
    for (const DealtSlice::Statistics& one : some)
      FROND_TRY(terms->put(from.term(place++), one.document_frequency, one.occurrences));
    return {};
  };
  const auto give = [&]() -> Result<void> {
    DealtSlice dealt = FROND_TRY(tasks.take());
    if (terms != nullptr) FROND_TRY(give_terms(dealt.terms));
    for (std::uint32_t p = 0; p < partitions; ++p)
      for (PostingGroup& group : dealt.groups[p]) {
        const std::uint64_t bytes = group.bytes;
        if (!to[p]->push(std::make_shared<const PostingGroup>(std::move(group)), stop, bytes))
          return Error(Code::kUnavailable, "stopped");
      }
    return {};
  };
  const auto begin = [&](runs::PostingSlice slice) -> Result<void> {
    while (tasks.full()) FROND_TRY(give());
    const std::uint64_t bytes = slice.numbers.size() * (sizeof(DocId) + sizeof(Frequency));
    tasks.begin(bytes,
                [&from, partitions, some = std::make_shared<const runs::PostingSlice>(std::move(slice))](
                    std::size_t) -> Result<DealtSlice> { return deal(from, *some, partitions); });
    return {};
  };
  FROND_TRY(from.read(pipeline::kHeldSlicePostings, begin));
  while (!tasks.empty()) FROND_TRY(give());
  for (const auto& queue : to) queue->close();
  return {};
}

}  // namespace frond::indexer::publish
