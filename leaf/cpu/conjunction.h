#pragma once
// AND: the k best of the documents that hold every term, all of which are counted.
//
// The shortest list is walked a block at a time; what is left of the block is narrowed by the next longer list, then
// the next. Blocks of the longer lists are found through their last docIDs, and only those that may hold a document
// still in play are decoded. Frequencies are decoded, and scores computed, only for documents in all lists whose
// blocks' bounds reach the threshold.
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// No list is empty. kCorrupt, kDeadline.
Result<Outcome> search_conjunction(const Plan& plan, const Clock& clock);

}  // namespace frond::leaf::cpu
