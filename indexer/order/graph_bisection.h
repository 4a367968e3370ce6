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
// forward index of its own (range_index.h), so that gains are summed in a core's cache; and the result is the same on
// every machine and for any number of threads: documents of equal gain are ordered by half and number, and the
// logarithm is our own.
#include <cstdint>
#include <stop_token>
#include <vector>

#include "indexer/order/forward_index.h"

namespace frond::indexer::order {

// The bytes that bisect() takes beside the index, for so many documents, postings and terms.
std::uint64_t bisection_bytes(std::uint32_t documents, std::uint64_t postings, std::uint32_t terms,
                              std::uint32_t threads);

// order[place] = document. If stopped, it still gives an order, but a worse one.
std::vector<std::uint32_t> bisect(const ForwardIndex& index, std::uint32_t threads, std::stop_token stop);

}  // namespace frond::indexer::order
