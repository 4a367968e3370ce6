#include "indexer/publish/split_postings.h"

#include <algorithm>
#include <utility>

#include "indexer/pipeline/memory.h"
#include "indexer/publish/posting_splitter.h"

namespace frond::indexer::publish {
namespace {

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

}  // namespace frond::indexer::publish
