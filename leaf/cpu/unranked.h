#pragma once
// Plans that are not ranked: the k first documents that match, by docID, and the exact number of matches. Frequencies
// are not decoded and nothing is scored.
//
// One list: its length is the number; blocks are decoded until there are k documents. AND: conjunction.h. OR: docIDs
// are marked, one window of documents at a time; windows without postings are skipped. For two lists, once there are k
// documents, the rest is counted as |A| + |B| - |A and B|, because a conjunction decodes only blocks that both lists
// need.
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// The plan is not ranked; one of its lists has postings, for AND all of them. Errors: kCorrupt, kDeadline.
Result<engine::Outcome> search_unranked(const engine::Plan& plan, const Clock& clock);

}  // namespace frond::leaf::cpu
