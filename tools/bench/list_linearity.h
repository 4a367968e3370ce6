#pragma once
// How near docIDs are to a line through their positions: Table 1 of Ao et al. 2011 for lists of ours.
#include <cstdint>
#include <vector>

#include "tools/bench/intersection_set.h"

namespace frond::tools {

// Of the lists of [least, most) docIDs. Means over lists.
struct LinearityOfLists {
  std::uint32_t least = 0, most = 0;
  std::size_t lists = 0;
  double contraction = 0;  // share of a list that the safe search range leaves
  double r_squared = 0;    // coefficient of determination
};

// In the paper's classes of length; those without a list are left out, lists of fewer than 3 docIDs too.
std::vector<LinearityOfLists> linearity_of(const IntersectionSet& set, unsigned threads);

}  // namespace frond::tools
