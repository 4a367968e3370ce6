#pragma once
// OR: the k documents with the highest sums over any of the terms.
//
// MaxScore (Turtle and Flood 1995) in windows of documents, with the bounds of the blocks that reach into the window
// (Chakrabarti, Chaudhuri, Ganti 2011; Mallia et al. 2017 call such a split variable-sized). In each window the terms
// are ordered by bound; those whose bounds together stay below the threshold are non-essential. Essential lists are
// scored a block at a time in vectors and summed in an array over the window; what could still reach the threshold is
// then looked up in the non-essential lists, the one with the highest bound first. A window whose bounds together stay
// below the threshold is skipped undecoded. Where one list is essential, the window reaches as far as the bounds hold.
//
// Sums are integers, so the split never changes a score. `matches` is exact while nothing was pruned, else the larger
// of what was counted and the longest list.
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// Lists without postings are ignored. kCorrupt, kDeadline.
Result<engine::Outcome> search_disjunction(const engine::Plan& plan, const Clock& clock);

}  // namespace frond::leaf::cpu
