#pragma once
// OR: the k documents with the highest sums over the terms that they hold.
//
// MaxScore (Turtle and Flood 1995) over windows of documents, with the bounds of the blocks that overlap the window
// (Chakrabarti, Chaudhuri, Ganti 2011). In each window the terms are ordered by bound. The terms with the lowest
// bounds, as many as together stay below the threshold, are non-essential. Essential lists are scored in vectors, block
// by block, and added up in an array over the window. Documents that may still reach the threshold are then looked up
// in the non-essential lists, highest bound first. If all bounds together stay below the threshold, nothing is decoded.
// With at most one essential list, the window extends as far as the bounds hold.
//
// Sums are integers, so the split never changes a score. `matches` is exact while nothing was pruned, else the greater
// of the documents counted so far and the length of the longest list.
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// Lists without postings are ignored. Errors: kCorrupt, kDeadline.
Result<engine::Outcome> search_disjunction(const engine::Plan& plan, const Clock& clock);

}  // namespace frond::leaf::cpu
