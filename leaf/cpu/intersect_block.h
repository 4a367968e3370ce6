#pragma once
// Documents of one block of the shortest list against one block of a longer one: the inner loop of a conjunction.
#include <array>
#include <cstdint>

#include "leaf/cpu/term_reader.h"

namespace frond::leaf::cpu {

// What is left of a driver's block: documents in ascending docID, and their places in the block.
struct Candidates {
  void start(const DocId* block, std::uint32_t size);
  // The first from `from` on whose docID is above `last`.
  std::uint32_t end_of(std::uint32_t from, DocId last) const;
  // Keeps of [from, to), at `from` and behind, those whose score by place is at least `least`; returns their end.
  std::uint32_t keep_reaching(std::uint32_t from, std::uint32_t to, const Score* scores, std::uint64_t least);
  std::uint32_t count = 0;
  std::array<DocId, kBlockLength> docids;
  std::array<std::uint32_t, kBlockLength> places;
};

class BlockTable {
 public:
  // Of candidates [from, to), keeps those in the reader's block by moving them to `kept` and behind, and notes at
  // postings[place] where: block * 128 + position. Returns `kept` and how many there were; kept <= from < to. None is
  // above the block's last docID.
  std::uint32_t intersect(Candidates& candidates, std::uint32_t from, std::uint32_t to, const TermReader& reader,
                          std::uint32_t kept, std::array<std::uint32_t, kBlockLength>& postings);

 private:
  // Documents that a table can span: its bytes stay in the first-level cache.
  static constexpr DocId kSpan = 4096;
  std::array<std::uint8_t, kSpan> position_plus_1_{};  // all 0 between calls
};

}  // namespace frond::leaf::cpu
