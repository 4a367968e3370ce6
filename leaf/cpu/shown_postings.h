#pragma once
// Postings of documents that are not hidden. Where a filter hides many, these are taken out of a block before it is
// scored; where few are hidden, nothing is done here, and they are dropped among the best (Threshold::offer()).
#include <array>
#include <cstdint>
#include <span>

#include "leaf/cpu/kernels.h"
#include "leaf/cpu/term_reader.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// One thread.
class ShownPostings {
 public:
  // Borrows the plan and its hidden documents.
  explicit ShownPostings(const engine::Plan& plan);

  // Whether hidden documents are taken out here.
  bool filters() const { return !hidden_.empty(); }
  // Whether any of the documents first .. last may be shown.
  bool any(DocId first, DocId last) const {
    if (hidden_.empty()) return true;
    for (DocId word = first / 64; word <= last / 64; ++word)
      if (hidden_[word] != ~std::uint64_t{0}) return true;
    return false;
  }
  // How many of postings [from, to) of the reader's current block are shown; the block's size if nothing is taken out.
  std::size_t find(const TermReader& reader, std::uint32_t from, std::uint32_t to);
  struct Postings {
    const DocId* docids;
    const Score* scores;
    std::size_t count;
  };
  // Those of the last find(), of the same reader, scored; none if frequencies do not decode. Valid until the next call.
  Postings scored(TermReader& reader);
  Postings scored(TermReader& reader, std::uint32_t from, std::uint32_t to) {
    find(reader, from, to);
    return scored(reader);
  }
  // Of the whole list. Moves the reader; a block that does not decode makes it corrupt().
  std::uint64_t count(TermReader& reader);

 private:
  std::span<const std::uint64_t> hidden_;  // a bit for each document; empty: all are shown
  std::uint32_t from_ = 0, to_ = 0;        // of the last find()
  std::array<std::uint64_t, kBlockLength / 64> found_{};
  alignas(64) std::array<DocId, kBlockLength + kVectorSlack> docids_;
  alignas(64) std::array<std::uint32_t, kBlockLength + kVectorSlack> numbers_;
};

}  // namespace frond::leaf::cpu
