#pragma once
// Documents against one block of a list: the inner loop of a conjunction.
#include <array>
#include <cstdint>

#include "leaf/cpu/kernels.h"
#include "leaf/cpu/term_reader.h"

namespace frond::leaf::cpu {

// The documents of one block of the shortest list that are still in play, ascending. Kernels read and write whole
// vectors: what lies behind `count` is scratch.
struct Candidates {
  // The first from `from` on whose docID is above `last`.
  std::uint32_t end_of(std::uint32_t from, DocId last) const;
  std::uint32_t count = 0;
  alignas(64) std::array<DocId, kBlockLength + kSelectSlack> docids;
};

class BlockTable {
 public:
  // Of candidates [from, to), from < to, appends those in the reader's block to `kept`, which is another object and has
  // no more than `from` of them. None is above the block's last docID.
  void intersect(const Candidates& candidates, std::uint32_t from, std::uint32_t to, const TermReader& reader,
                 Candidates& kept);

 private:
  // Documents that a table can span: its bytes stay in the first-level cache.
  static constexpr DocId kSpan = 4096;
  alignas(64) std::array<std::uint8_t, kSpan + kSelectSlack> present_{};  // all 0 between calls
};

}  // namespace frond::leaf::cpu
