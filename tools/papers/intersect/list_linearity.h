#pragma once
// How close the docIDs of a list are to a line over their positions: Table 1 of Ao et al. 2011 for our lists.
#include <cstdint>
#include <vector>

#include "tools/papers/intersect/intersection_set.h"

namespace frond::tools::papers {

// Means over the lists whose length is in [begin, end) docIDs.
struct LinearityOfLists {
  std::uint32_t begin = 0, end = 0;
  std::size_t lists = 0;
  double contraction = 0;  // share of a list in the safe search range
  double r_squared = 0;    // coefficient of determination
};

// Returns one entry per length class of the paper. Leaves out classes without a list, and lists of fewer than 3 docIDs.
std::vector<LinearityOfLists> linearity_of(const IntersectionSet& set, unsigned threads);

}  // namespace frond::tools::papers
