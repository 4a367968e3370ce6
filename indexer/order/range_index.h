#pragma once
// The forward index of one range of documents that is being cut into halves. The range's terms are numbered anew, so
// that the tables of a round of exchanges stay in a core's cache. Terms of a single document of the range are left out:
// they have no gaps in it.
//
// One thread. Keeps its memory from range to range.
#include <cstdint>
#include <span>
#include <vector>

#include "indexer/order/forward_index.h"

namespace frond::indexer::order {

// The number of a term's documents in either half.
struct TermSides {
  std::uint32_t left = 0, right = 0;
};

class RangeIndex {
 public:
  // `terms`: of the whole index.
  explicit RangeIndex(std::uint32_t terms) : counts_(terms) {}
  // Indexes a range, whose documents are numbered by their places in it. Those before `middle` are the left half.
  void fill(const ForwardIndex& index, std::span<const std::uint32_t> range, std::size_t middle);

  std::uint32_t documents() const { return static_cast<std::uint32_t>(begins_.size() - 1); }
  // The terms of a document of the range.
  std::span<const std::uint32_t> of(std::uint32_t document) const {
    return {terms_.data() + begins_[document], terms_.data() + begins_[document + 1]};
  }
  // An entry for each term, as fill() counted; the caller updates them when it moves documents.
  std::vector<TermSides>& sides() { return sides_; }
  const std::vector<TermSides>& sides() const { return sides_; }

 private:
  std::vector<std::uint32_t> counts_;  // of all terms: counts in the range, then numbers in it; zeros between ranges
  std::vector<std::uint32_t> met_;     // terms whose counts are not zero
  std::vector<std::uint64_t> begins_{0};
  std::vector<std::uint32_t> terms_;
  std::vector<TermSides> sides_;
};

}  // namespace frond::indexer::order
