// Splits postings to the groups of partitions, in order of terms and documents.
#include "indexer/publish/split_postings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/threads/parallel.h"
#include "common/postings/posting_list.h"
#include "indexer/invert/in_memory_postings.h"
#include "indexer/invert/partition_runs.h"
#include "indexer/pipeline/memory.h"
#include "indexer/publish/list_stream.h"

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
      : round_robin_(partitions),
        all_(partitions, GroupsOfPartition(postings / partitions * 9 / 8 + std::size_t{16})) {}

  // Of the only partition: postings need not be given one by one.
  bool is_one() const { return all_.size() == 1; }
  GroupsOfPartition::Room room(std::string_view term, std::size_t wanted) {
    if (!all_[0].in_term()) open_.push_back(0);
    return all_[0].room(term, wanted);
  }
  // A posting of the term at hand. Documents ascend.
  void add(std::string_view term, std::uint64_t document, Frequency frequency) {
    const auto to = round_robin_.place_of(document);
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
  const invert::RoundRobin round_robin_;
  std::vector<GroupsOfPartition> all_;
  std::vector<std::uint32_t> open_;  // partitions with postings of the term at hand
};

// Any thread.
SplitSlice split(const runs::PostingSlices& from, const runs::PostingSlice& slice, std::uint32_t partitions) {
  PostingSplitter splitter(partitions, slice.numbers.size());
  const std::uint64_t base = from.first_document();
  SplitSlice made;
  made.terms.reserve(slice.end - slice.first);
  std::size_t at = 0;
  for (std::size_t place = slice.first; place < slice.end; ++place) {
    SplitSlice::Term& term = made.terms.emplace_back();
    term.text = from.term(place);
    const std::size_t end = at + from.postings_of(place);
    while (at < end) {
      const std::uint32_t number = slice.numbers[at];
      Frequency frequency = 0;
      for (; at < end && slice.numbers[at] == number; ++at) frequency += slice.frequencies[at];
      ++term.document_frequency;
      term.occurrences += frequency;
      splitter.add(term.text, base + number, frequency);
    }
    splitter.end_term(term.text);
  }
  made.groups = splitter.take();
  return made;
}

}  // namespace

Result<void> SplitPostings::add(std::uint64_t postings, std::function<SplitSlice()> split) {
  while (tasks_.full()) FROND_TRY(give_on());
  tasks_.begin(postings, [split = std::move(split)](std::size_t) -> Result<SplitSlice> { return split(); });
  return {};
}

Result<void> SplitPostings::give_on() {
  SplitSlice slice = FROND_TRY(tasks_.take());
  if (terms_ != nullptr)
    for (const SplitSlice::Term& term : slice.terms)
      FROND_TRY(terms_->put(term.text, term.document_frequency, term.occurrences));
  // To the partitions in turn, so that none waits for work while another has too much.
  std::size_t most = 0;
  for (const auto& its : slice.groups) most = std::max(most, its.size());
  for (std::size_t i = 0; i < most; ++i)
    for (std::size_t p = 0; p < to_.size(); ++p) {
      if (i >= slice.groups[p].size()) continue;
      PostingGroup& group = slice.groups[p][i];
      const std::uint64_t bytes = group.bytes;
      if (!to_[p]->push(std::make_shared<const PostingGroup>(std::move(group)), stop_, bytes))
        return Error(Code::kUnavailable, "stopped");
    }
  return {};
}

Result<void> SplitPostings::finish() {
  while (!tasks_.empty()) FROND_TRY(give_on());
  for (const auto& queue : to_) queue->close();
  return {};
}

Result<void> split_slices(runs::PostingSlices& from, SplitPostings& to) {
  FROND_TRY(from.read(pipeline::kSlicePostings, [&](runs::PostingSlice slice) {
    const std::size_t postings = slice.numbers.size();
    return to.add(postings, [&from, partitions = to.partitions(),
                             some = std::make_shared<const runs::PostingSlice>(std::move(slice))] {
      return split(from, *some, partitions);
    });
  }));
  return to.finish();
}

namespace {

using Terms = std::shared_ptr<const invert::TermPostings>;

// Terms that follow each other.
struct Slice {
  struct Piece {  // of a range
    Terms of;
    std::size_t begin, end;
  };
  std::vector<Piece> pieces;
  std::uint64_t postings = 0;

  // visit(std::string_view term, const invert::TermPostings::Term&)
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Piece& piece : pieces)
      for (std::size_t i = piece.begin; i < piece.end; ++i) visit(piece.of->term(i), piece.of->terms[i]);
  }
};

// The terms of all inverters, as slices. Threads of the pool put some ranges in order ahead.
class OrderedTerms {
 public:
  static Result<std::unique_ptr<OrderedTerms>> begin(const std::vector<std::unique_ptr<invert::InMemoryPostings>>& from,
                                                     TaskPool& pool) {
    std::unique_ptr<OrderedTerms> terms(new OrderedTerms(from, pool));
    FirstError error;
    FROND_TRY(in_parallel(pool, error, dictionary::kFirstTriple, pool.threads(), [&](std::size_t i) -> Result<void> {
      terms->ranges_.order(static_cast<dictionary::TrieCollection>(i));
      return {};
    }));
    terms->ranges_.cut();
    terms->order_ahead();
    return terms;
  }

  // Whether there are terms left.
  bool more() const { return at_ < terms_->terms.size() || !tasks_.empty(); }
  // Whether next() would not wait.
  bool ready() { return at_ < terms_->terms.size() || tasks_.ready(); }
  // The next terms, until they have so many postings or their range ends; perhaps none.
  Result<Slice> next(std::uint64_t postings) {
    if (at_ == terms_->terms.size()) {
      terms_ = FROND_TRY(tasks_.take());
      at_ = 0;
      order_ahead();
    }
    Slice slice;
    const std::size_t begin = at_;
    while (at_ < terms_->terms.size() && slice.postings < postings) slice.postings += terms_->terms[at_++].postings;
    if (at_ > begin) slice.pieces.push_back({terms_, begin, at_});
    return slice;
  }

 private:
  OrderedTerms(const std::vector<std::unique_ptr<invert::InMemoryPostings>>& from, TaskPool& pool)
      : ranges_(from), tasks_(pool, pool.threads() + 2) {}
  void order_ahead() {
    for (; next_range_ < ranges_.count() && !tasks_.full(); ++next_range_)
      tasks_.begin(1, [this, range = next_range_](std::size_t) -> Result<Terms> {
        return std::make_shared<const invert::TermPostings>(ranges_.terms(range));
      });
  }
  invert::TermRanges ranges_;
  std::size_t next_range_ = 0;
  Terms terms_ = std::make_shared<const invert::TermPostings>();  // at hand
  std::size_t at_ = 0;                                            // the next of these
  OrderedTasks<Terms> tasks_;                                     // last: it uses the others
};

// Any thread.
SplitSlice split(const std::shared_ptr<const Slice>& slice, std::uint32_t partitions) {
  PostingSplitter splitter(partitions, slice->postings);
  SplitSlice made;
  slice->for_each([&](std::string_view text, const invert::TermPostings::Term& one) {
    SplitSlice::Term& term = made.terms.emplace_back();
    term.text = text;
    term.document_frequency = one.postings;
    const std::uint64_t first = one.of->first_document();
    invert::ChainReader reader(*one.chain, one.of->arena());
    while (splitter.is_one() && reader.left() > 0) {
      auto to = splitter.room(text, reader.left());
      reader.read(to.count, [&](std::uint32_t number, Frequency frequency) {
        term.occurrences += frequency;
        *to.docids++ = static_cast<DocId>(first + number);
        *to.frequencies++ = frequency;
      });
    }
    reader.read(reader.left(), [&](std::uint32_t number, Frequency frequency) {
      term.occurrences += frequency;
      splitter.add(text, first + number, frequency);
    });
    splitter.end_term(text);
  });
  made.groups = splitter.take();
  made.memory = slice;
  return made;
}

}  // namespace

Result<void> split_in_memory(const std::vector<std::unique_ptr<invert::InMemoryPostings>>& from, TaskPool& pool,
                             SplitPostings& to) {
  const auto ordered = FROND_TRY(OrderedTerms::begin(from, pool));
  Slice gathered;  // slices of ranges with few postings
  while (ordered->more()) {
    while (!ordered->ready() && !to.empty()) FROND_TRY(to.give_on());
    Slice next = FROND_TRY(ordered->next(pipeline::kSlicePostings - gathered.postings));
    gathered.postings += next.postings;
    for (Slice::Piece& piece : next.pieces) gathered.pieces.push_back(std::move(piece));
    if (gathered.pieces.empty() || (gathered.postings < pipeline::kSlicePostings && ordered->more())) continue;
    const auto slice = std::make_shared<const Slice>(std::exchange(gathered, {}));
    FROND_TRY(to.add(slice->postings, [slice, partitions = to.partitions()] { return split(slice, partitions); }));
  }
  return to.finish();
}

}  // namespace frond::indexer::publish
