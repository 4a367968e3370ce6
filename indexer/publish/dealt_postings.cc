#include "indexer/publish/dealt_postings.h"

#include <algorithm>
#include <utility>

#include "indexer/pipeline/memory.h"
#include "indexer/publish/posting_dealer.h"

namespace frond::indexer::publish {
DealtSlice deal(const runs::PostingSlices& from, const runs::PostingSlice& slice, std::uint32_t partitions) {
  PostingDealer dealer(partitions, slice.numbers.size());
  const std::uint64_t base = from.first_document();
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
      dealer.add(term, base + number, frequency);
    }
    dealer.end_term(term);
  }
  made.groups = dealer.take();
  return made;
}

Result<void> give_groups(std::vector<std::vector<PostingGroup>> groups, std::vector<std::unique_ptr<Groups>>& to,
                         const std::stop_token& stop) {
  // In turn, so that none waits for work while another has too much.
  std::size_t most = 0;
  for (const auto& its : groups) most = std::max(most, its.size());
  for (std::size_t i = 0; i < most; ++i)
    for (std::size_t p = 0; p < to.size(); ++p) {
      if (i >= groups[p].size()) continue;
      PostingGroup& group = groups[p][i];
      const std::uint64_t bytes = group.bytes;
      if (!to[p]->push(std::make_shared<const PostingGroup>(std::move(group)), stop, bytes))
        return Error(Code::kUnavailable, "stopped");
    }
  return {};
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
    return give_groups(std::move(dealt.groups), to, stop);
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
