#pragma once
// OR, document at a time, by pivots. The lists are sorted by the documents under their cursors. The pivot is the first
// document at which the bounds of the lists up to it add up to the threshold: no document before it can be among the k
// best.
//
// WAND: Broder, Carmel, Herscovici, Soffer, Zien, CIKM 2003. Block-max WAND: Ding and Suel, SIGIR 2011: before a pivot
// is scored, the bounds of the blocks that may hold it are added up; if they stay below the threshold, the lists skip
// to the first end of one of these blocks. Both are rank-safe. The default is disjunction.h.
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// At least two lists, none of them empty; k > 0. Errors: kCorrupt, kDeadline.
Result<engine::Outcome> search_wand(const engine::Plan& plan, const Clock& clock);
Result<engine::Outcome> search_block_max_wand(const engine::Plan& plan, const Clock& clock);

}  // namespace frond::leaf::cpu
