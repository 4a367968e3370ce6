#pragma once
// Recursive graph bisection: puts documents that share terms next to each other, so that the gaps in lists are small.
// After Dhulipala et al., "Compressing Graphs and Indexes with Recursive Graph Bisection", KDD 2016, algorithm 1 and 2
// with the bipartite cost; and Mackenzie et al., "Compressing Inverted Indexes with Recursive Graph Bisection", ECIR
// 2019, from whom are the forward index, the cached gains of terms and the early end of a level.
//
// A range of documents is cut into halves. The cost of a term with d of a half's n documents is d log(n / (d + 1)),
// about the bits of its gaps there; the gain of a document is the cost that its terms save if it moves to the other
// half. In a round, pairs of documents are exchanged while a pair gains in sum. This is repeated until little moves;
// then each half is cut. Halves share nothing, so different threads cut them.
//
// The pairs are found without sorting, as in Mackenzie et al., "Faster Index Reordering with Bipartite Graph
// Partitioning", SIGIR 2021: documents are divided at the middle by how much they prefer the right half. From them too
// is that the gain which an exchange must have grows with the rounds: fewer rounds, and smaller lists.
//
// Where we differ: degrees are updated when documents move, not counted again in each round; each range has a small
// forward index of its own (RangeIndex), so that gains are summed in a core's cache; and the result is the same on
// every machine and for any number of threads: documents of equal gain are ordered by half and number, and the
// logarithm is our own.
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "indexer/order/forward_index.h"

namespace frond::indexer::order {

// The number of a term's documents in either half.
struct TermSides {
  std::uint32_t left = 0, right = 0;
};

// The forward index of one range of documents that is being cut into halves. The range's terms are numbered anew, so
// that the tables of a round of exchanges stay in a core's cache. Terms of a single document of the range are left out:
// they have no gaps in it.
// One thread. Keeps its memory from range to range.
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

// The bytes that bisect() takes beside the index, for so many documents, postings and terms.
std::uint64_t bisection_bytes(std::uint32_t documents, std::uint64_t postings, std::uint32_t terms,
                              std::uint32_t threads);

// order[place] = document. If stopped, it still gives an order, but a worse one.
std::vector<std::uint32_t> bisect(const ForwardIndex& index, std::uint32_t threads, std::stop_token stop);

}  // namespace frond::indexer::order
