#pragma once
// AND: the k best of the documents that hold every term, which are counted as far as the plan asks for.
//
// The shortest list is walked a block at a time; what is left of the block is narrowed by the next longer list, then
// the next. Blocks of the longer lists are found through their last docIDs, and only those that may hold a document
// still in play are decoded. Frequencies are decoded, and scores computed, only for documents in all lists whose
// blocks' bounds reach the threshold.
//
// Once enough matches are counted, bounds skip more: a block of the shortest list that can't reach the threshold with
// the bounds of the others' blocks beside it (Ding and Suel 2011, for AND), then single documents of it by their
// scores, before other lists are looked at, and again with the bound of each block that is about to be decoded.
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// No list is empty. kCorrupt, kDeadline.
Result<engine::Outcome> search_conjunction(const engine::Plan& plan, const Clock& clock);

}  // namespace frond::leaf::cpu
