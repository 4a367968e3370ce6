#pragma once
// OR, document at a time, by pivots: the lists in the order of the documents under their cursors; the pivot is the
// first document at which the lists' bounds together reach the threshold, and no document before it can be among the k
// best.
//
// WAND: Broder, Carmel, Herscovici, Soffer, Zien, CIKM 2003. Block-max WAND: Ding and Suel, SIGIR 2011: before a pivot
// is scored the bounds of the blocks that would hold it are added up, and where those fall short the lists skip to the
// end of the first of these blocks. Both are rank-safe; disjunction.h is what they are measured against.
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// Two lists or more, none of them empty, k > 0. kCorrupt, kDeadline.
Result<engine::Outcome> search_wand(const engine::Plan& plan, const Clock& clock);
Result<engine::Outcome> search_block_max_wand(const engine::Plan& plan, const Clock& clock);

}  // namespace frond::leaf::cpu
