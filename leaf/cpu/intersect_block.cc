#include "leaf/cpu/intersect_block.h"

#include <cstring>

#include "leaf/cpu/kernels.h"

namespace frond::leaf::cpu {

std::uint32_t Candidates::end_of(std::uint32_t from, DocId last) const {
  if (docids[count - 1] <= last) return count;
  return static_cast<std::uint32_t>(std::upper_bound(docids.begin() + from, docids.begin() + count, last) -
                                    docids.begin());
}

void BlockTable::intersect(const Candidates& candidates, std::uint32_t from, std::uint32_t to, const TermReader& reader,
                           Candidates& kept) {
  // None of the three ways has a branch on whether a document matches: that is what can't be predicted.
  constexpr std::uint32_t kFew = 12;   // below: each is compared with the whole block
  constexpr std::uint32_t kMany = 32;  // from here on a table is cheaper than searches
  const DocId* block = reader.docids();
  const DocId* in = candidates.docids.data() + from;
  DocId* out = kept.docids.data() + kept.count;
  const std::uint32_t count = to - from;
  const DocId first = in[0], last = in[count - 1];
  if (count < kFew) {
    kept.count += static_cast<std::uint32_t>(keep_compared(block, in, count, out));
  } else if (count < kMany || last - first >= kSpan) {
    kept.count += static_cast<std::uint32_t>(keep_searched(block, in, count, out));
  } else {
    // There is a docID >= last in the block: nothing is read behind it.
    const std::uint32_t start = reader.position_of(first), at_last = reader.position_of(last);
    const std::uint32_t end = at_last + (block[at_last] == last);
    for (std::uint32_t p = start; p < end; ++p) present_[block[p] - first] = 1;
    kept.count += static_cast<std::uint32_t>(keep_present(present_.data(), first, in, count, out));
    std::memset(present_.data(), 0, last - first + 1);
  }
}

}  // namespace frond::leaf::cpu
