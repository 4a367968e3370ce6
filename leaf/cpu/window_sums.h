#pragma once
// Scores of a window of documents, added up a list at a time: the accumulators of the disjunctions that work on
// windows. One thread. 18 KiB, so that they stay in the first-level cache beside the blocks that are added.
#include <array>
#include <cstdint>

#include "leaf/cpu/kernels.h"
#include "leaf/cpu/term_reader.h"

namespace frond::leaf::cpu {

class WindowSums {
 public:
  static constexpr DocId kWindow = kGroup * kGroups;  // documents

  // Adds postings [from, to) of the block that the reader stands on; they lie in [begin, begin + kWindow).
  void add(TermReader& reader, std::uint32_t from, std::uint32_t to, DocId begin);
  // The documents that postings were added for and whose sums reach `least`, ascending; all sums are 0 afterwards.
  // `out` has kWindow + kSelectSlack places. Returns how many.
  std::size_t take(DocId begin, Score least, Selection out);
  // Of how many documents there are sums.
  std::uint64_t documents() const;

 private:
  std::size_t visit(DocId begin, Score least, Selection out);

  alignas(64) std::array<Score, kWindow> sums_{};
  std::array<std::uint64_t, kGroups> touched_{};  // a bit a sum
  std::uint64_t groups_ = 0;                      // a bit a group with touched sums
  std::size_t postings_ = 0;
};

}  // namespace frond::leaf::cpu
