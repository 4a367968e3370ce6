#include "leaf/clauses/required/optional_lists.h"

#include <utility>

namespace frond::leaf::clauses {

void OptionalLists::start_block() {
  order_.clear();
  if (left_out_) return;
  for (JoinedList& one : lists_) order_.push_back({&one});
}

std::uint64_t OptionalLists::look(DocId first, DocId last) {
  std::uint64_t sum = 0;
  std::erase_if(order_, [&](const Optional& one) { return !one.list->look(first, last); });
  for (std::size_t i = 0; i < order_.size(); ++i) {
    sum += order_[i].list->range_bound();
    for (std::size_t j = i; j > 0 && order_[j].list->range_bound() > order_[j - 1].list->range_bound(); --j)
      std::swap(order_[j], order_[j - 1]);
  }
  return sum;
}

void OptionalLists::keep_with_one(const cpu::Candidates& candidates, std::uint64_t required, std::uint64_t least,
                                  cpu::CandidateBuffer& kept) {
  // Those with the lowest bounds, as many as do not suffice, are no help by themselves.
  std::size_t needed = order_.size();
  while (needed > 0 && required + order_[needed - 1].list->range_bound() < least)
    required += order_[--needed].list->range_bound();
  Places any{};
  for (std::size_t i = 0; i < needed; ++i) {
    look_up(order_[i], candidates);
    for (std::size_t word = 0; word < any.size(); ++word) any[word] |= order_[i].found[word];
  }
  kept.add_if(candidates, 0, candidates.count, [&](std::uint32_t place) { return any[place / 64] >> place % 64 & 1; });
}

void OptionalLists::look_up(Optional& one, const cpu::Candidates& candidates) {
  JoinedList& list = *one.list;
  one.is_known = true;
  found_.clear();
  if (const auto* const index = cpu::index_for(candidates, list.reader())) {
    cpu::intersect(candidates, *index, found_, &list.postings);
  } else {
    for (std::uint32_t i = 0; i < candidates.count && list.find(candidates.docids[i]);) {
      const std::uint32_t end = candidates.end_of(i, list.last());
      const cpu::Candidates run{candidates.docids + i, candidates.places + i, end - i};
      i = end;
      list.reader().enter(list.block());
      if (list.reader().corrupt()) return;
      cpu::intersect(run, list.reader(), found_, &list.postings);
    }
  }
  const cpu::Candidates found = found_.view();
  for (std::uint32_t j = 0; j < found.count; ++j)
    one.found[found.places[j] / 64] |= std::uint64_t{1} << found.places[j] % 64;
}

cpu::Candidates OptionalLists::add(cpu::Candidates candidates, std::uint64_t least, SumsByPlace& sums,
                                   cpu::CandidateBuffer& one, cpu::CandidateBuffer& other) {
  std::uint64_t rest = 0;
  if (least != 0)
    for (const Optional& each : order_) rest += each.list->range_bound();
  for (const Optional& each : order_) {
    if (candidates.count == 0) break;
    if (least != 0) rest -= each.list->range_bound();
    cpu::CandidateBuffer& kept = one.holds(candidates) ? other : one;
    kept.clear();
    if (each.is_known)
      add_known(each, candidates, least, rest, sums, kept);
    else
      add_list(*each.list, candidates, least, rest, sums, kept);
    candidates = kept.view();
  }
  return candidates;
}

void OptionalLists::add_known(const Optional& one, const cpu::Candidates& candidates, std::uint64_t least,
                              std::uint64_t rest, SumsByPlace& sums, cpu::CandidateBuffer& kept) {
  JoinedList& list = *one.list;
  for (std::uint32_t i = 0; i < candidates.count; ++i) {
    const std::uint32_t place = candidates.places[i];
    std::uint64_t sum = sums[place];
    if ((one.found[place / 64] >> place % 64 & 1) != 0) {
      const std::uint32_t posting = list.postings[place];
      if (sum + rest + list.bound_of(posting / cpu::kBlockLength) < least) continue;
      sum = sums[place] += list.score_of(posting, candidates.docids[i]);
    }
    if (sum + rest >= least) kept.add(candidates.docids[i], place);
  }
}

// Block by block of the list: documents that cannot reach `least` with the block's bound and the `rest` are not looked
// up, and a block without others is not decoded.
void OptionalLists::add_list(JoinedList& list, const cpu::Candidates& candidates, std::uint64_t least,
                             std::uint64_t rest, SumsByPlace& sums, cpu::CandidateBuffer& kept) {
  const auto reaches = [&](std::uint32_t place) { return sums[place] + rest >= least; };
  if (const auto* const index = cpu::index_for(candidates, list.reader())) {
    found_.clear();
    cpu::intersect(candidates, *index, found_, &list.postings);
    const cpu::Candidates found = found_.view();
    for (std::uint32_t j = 0; j < found.count; ++j) {
      const std::uint32_t place = found.places[j], posting = list.postings[place];
      if (least == 0 || sums[place] + list.bound_of(posting / cpu::kBlockLength) + rest >= least)
        sums[place] += list.score_of(posting, found.docids[j]);
    }
    return kept.add_if(candidates, 0, candidates.count, reaches);
  }
  for (std::uint32_t i = 0; i < candidates.count;) {
    if (!list.find(candidates.docids[i])) return kept.add_if(candidates, i, candidates.count, reaches);
    const std::uint32_t end = candidates.end_of(i, list.last());
    const std::uint64_t bound = least == 0 ? 0 : list.bound_of(list.block());
    run_.clear();
    run_.add_if(candidates, i, end, [&](std::uint32_t place) { return sums[place] + bound + rest >= least; });
    i = end;
    if (run_.size() == 0) continue;
    list.reader().enter(list.block());
    if (list.reader().corrupt()) return;
    found_.clear();
    const cpu::Candidates run = run_.view();
    cpu::intersect(run, list.reader(), found_, &list.postings);
    const cpu::Candidates found = found_.view();
    for (std::uint32_t j = 0; j < found.count; ++j)
      sums[found.places[j]] += list.score_of(list.postings[found.places[j]], found.docids[j]);
    kept.add_if(run, 0, run.count, reaches);
  }
}

}  // namespace frond::leaf::clauses
