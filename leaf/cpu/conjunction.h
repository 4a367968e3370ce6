#pragma once
// AND: the k best of the documents that hold every term. Matches are counted as far as the plan asks. Unranked: the k
// first of them; all are counted, and nothing is scored or skipped by bounds.
//
// The shortest list, the driver, is read block by block. A block's documents are intersected with the next longer list,
// what remains with the next. Blocks of the longer lists are found by their last docIDs and decoded only if they may
// hold a remaining document. Scores are computed only for documents in all lists whose block bounds reach the
// threshold.
//
// Once enough matches are counted, bounds skip more: whole blocks of the driver, if their bound and those of the
// overlapping blocks of other lists stay below the threshold (Ding and Suel 2011, here for AND); then single documents,
// by their scores in the driver, before other lists are looked at and again before each of their blocks is decoded.
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// No list may be empty. Errors: kCorrupt, kDeadline.
Result<engine::Outcome> search_conjunction(const engine::Plan& plan, const Clock& clock);

}  // namespace frond::leaf::cpu
