#pragma once
// Adds up the scores of a window of documents, list by list, for the algorithms for OR that work on windows. One
// thread. About 16.5 KiB, so that the sums and the blocks that are added stay in the first-level cache.
#include <array>
#include <cstdint>

#include "common/partition/documents/hidden_documents.h"
#include "leaf/cpu/kernels.h"
#include "leaf/cpu/term_reader.h"

namespace frond::leaf::cpu {

class WindowSums {
 public:
  static constexpr DocId kWindow = kGroup * kGroups;  // documents

  // Adds postings [from, to) of the reader's current block; their docIDs are in [begin, begin + kWindow).
  void add(TermReader& reader, std::uint32_t from, std::uint32_t to, DocId begin);
  // Writes the documents with added postings whose sums reach `least` to `out`, ascending, and clears all sums. `out`
  // has kWindow + kSelectSlack places. Returns how many.
  std::size_t take(DocId begin, Score least, Selection out);
  // The number of documents that postings were added for, without those of `hidden`, which may be null. `begin` is a
  // multiple of kGroup.
  std::uint64_t documents(DocId begin, const partition::HiddenDocuments* hidden) const;

 private:
  std::size_t visit(DocId begin, Score least, Selection out);

  alignas(64) std::array<Score, kWindow> sums_{};
  std::array<std::uint64_t, kGroups> touched_{};  // one bit per sum
  std::uint64_t groups_ = 0;                      // one bit per group with touched sums
  std::size_t postings_ = 0;
};

}  // namespace frond::leaf::cpu
