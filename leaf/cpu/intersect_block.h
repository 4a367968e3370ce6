#pragma once
// Documents of one block of the shortest list against one block of a longer one: the inner loop of a conjunction, in
// vectors, compiled for several instruction sets and chosen when called.
#include <array>
#include <cstdint>

#include "leaf/cpu/kernels.h"
#include "leaf/cpu/term_reader.h"

namespace frond::leaf::cpu {

// What is left of a driver's block: documents in ascending docID, and their places in the block. Borrowed; behind the
// last come kVectorSlack readable entries, of which the docIDs are kNoDoc.
struct Candidates {
  // The first from `from` on whose docID is above `last`, at most `count`.
  std::uint32_t end_of(std::uint32_t from, DocId last) const;

  const DocId* docids = nullptr;
  const std::uint32_t* places = nullptr;
  std::uint32_t count = 0;
};

// Where candidates are kept that are left.
class CandidateBuffer {
 public:
  // All of a block, as TermReader::docids() has them; they stay there.
  static Candidates whole(const DocId* block, std::uint32_t size);

  void clear() { count_ = 0; }
  std::uint32_t size() const { return count_; }
  // Appends those whose score, by place, is at least `least`.
  void add_reaching(const Candidates& these, const Score* scores, std::uint64_t least);
  // As candidates, until the next change.
  Candidates view();

 private:
  friend class BlockTable;
  std::uint32_t count_ = 0;
  // Vectors are stored whole.
  alignas(64) std::array<DocId, kBlockLength + kSelectSlack> docids_;
  alignas(64) std::array<std::uint32_t, kBlockLength + kSelectSlack> places_;
  alignas(64) std::array<std::uint32_t, kBlockLength + kSelectSlack> postings_;
};

class BlockTable {
 public:
  // Appends to `kept` the candidates in the reader's block, and notes at postings[place] where: block * 128 + position.
  // There are candidates, and none is above the block's last docID.
  void intersect(const Candidates& candidates, const TermReader& reader, CandidateBuffer& kept,
                 std::array<std::uint32_t, kBlockLength>& postings);

 private:
  // Documents that a table can span: it stays in the first-level cache.
  static constexpr DocId kSpan = 4096;
  // By docID less the first candidate's: stamp * 128 + position. Entries of other stamps are of earlier blocks, so
  // nothing is cleared until stamps run out.
  std::array<std::uint32_t, kSpan> entries_;
  std::uint32_t stamp_ = kStamps;  // entries_ hold nothing yet
  static constexpr std::uint32_t kStamps = 512;
};

}  // namespace frond::leaf::cpu
