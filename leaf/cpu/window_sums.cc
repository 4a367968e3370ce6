#include "leaf/cpu/window_sums.h"

#include <bit>

namespace frond::leaf::cpu {

void WindowSums::add(const ShownPostings::Postings& postings, DocId begin) {
  const auto [docids, scores, count] = postings;
  std::uint64_t groups = groups_;
  for (std::size_t i = 0; i < count; ++i) {
    const DocId at = docids[i] - begin;
    sums_[at] += scores[i];
    groups |= std::uint64_t{1} << at / kGroup;
    touched_[at / kGroup] |= std::uint64_t{1} << at % kGroup;
  }
  groups_ = groups;
  postings_ += count;
}

std::size_t WindowSums::take(DocId begin, Score least, Selection out) {
  constexpr std::size_t kFew = 8 * kGroups;  // up to this many postings, visiting single sums is faster than vectors
  std::size_t count = 0;
  if (least == 0 || postings_ <= kFew) {
    count = visit(begin, least, out);
  } else {
    count = drain(sums_.data(), groups_, begin, least, out);
    touched_.fill(0);
  }
  groups_ = 0;
  postings_ = 0;
  return count;
}

std::size_t WindowSums::visit(DocId begin, Score least, Selection out) {
  std::size_t count = 0;
  for (std::uint64_t groups = groups_; groups; groups &= groups - 1) {
    const auto group = static_cast<DocId>(std::countr_zero(groups));
    for (std::uint64_t bits = std::exchange(touched_[group], 0); bits; bits &= bits - 1) {
      const DocId at = group * kGroup + static_cast<DocId>(std::countr_zero(bits));
      const Score sum = std::exchange(sums_[at], 0);
      out.docids[count] = begin + at;
      out.scores[count] = sum;
      count += sum >= least;
    }
  }
  return count;
}

}  // namespace frond::leaf::cpu
