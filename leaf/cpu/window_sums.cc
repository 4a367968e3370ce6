#include "leaf/cpu/window_sums.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace frond::leaf::cpu {
namespace {

// Bits first .. last.
std::uint64_t bits_between(DocId first, DocId last) { return (~std::uint64_t{0} >> (63 - (last - first))) << first; }

}  // namespace

void WindowSums::start(DocId begin, bool counting) {
  begin_ = begin;
  counting_ = counting;
}

void WindowSums::add(TermReader& reader, std::uint32_t from, std::uint32_t to) {
  const Score* scores = reader.scores();
  const DocId* docids = reader.docids();
  to = std::min(to, reader.size());  // 0 where the frequencies did not decode
  if (from >= to) return;
  groups_ |= bits_between((docids[from] - begin_) / kGroup, (docids[to - 1] - begin_) / kGroup);
  for (std::uint32_t i = from; i < to; ++i) sums_[docids[i] - begin_] += scores[i];
  if (!counting_) return;
  for (std::uint32_t i = from; i < to; ++i) {
    const DocId at = docids[i] - begin_;
    touched_[at / kGroup] |= std::uint64_t{1} << at % kGroup;
  }
}

std::size_t WindowSums::take(Score least, Selection out) {
  const std::size_t count = least == 0 ? visit(least, out) : drain(sums_.data(), groups_, begin_, least, out);
  if (counting_) touched_.fill(0);
  groups_ = 0;
  return count;
}

// A sum of 0 may be a document's, so the bits decide.
std::size_t WindowSums::visit(Score least, Selection out) {
  std::size_t count = 0;
  for (std::uint64_t groups = groups_; groups; groups &= groups - 1) {
    const auto group = static_cast<DocId>(std::countr_zero(groups));
    for (std::uint64_t bits = touched_[group]; bits; bits &= bits - 1) {
      const DocId at = group * kGroup + static_cast<DocId>(std::countr_zero(bits));
      const Score sum = std::exchange(sums_[at], 0);
      out.docids[count] = begin_ + at;
      out.scores[count] = sum;
      count += sum >= least;
    }
  }
  return count;
}

std::uint64_t WindowSums::documents() const {
  std::uint64_t count = 0;
  for (const std::uint64_t bits : touched_) count += static_cast<std::uint64_t>(std::popcount(bits));
  return count;
}

}  // namespace frond::leaf::cpu
