#pragma once
// OR, document at a time, by essential lists. Lists are sorted by bound. Those with the lowest bounds, as many as
// together stay below the threshold, are non-essential: they are only looked up, for documents of the other lists.
//
// MaxScore: Turtle and Flood, IP&M 1995. Block-max MaxScore: Chakrabarti, Chaudhuri and Ganti, WSDM 2011: the bounds of
// the blocks that may hold the document, not those of whole lists, decide when its look-ups stop. Both are rank-safe.
// disjunction.h does the same over windows of documents.
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// At least two lists, none of them empty; k > 0. Errors: kCorrupt, kDeadline.
Result<engine::Outcome> search_maxscore(const engine::Plan& plan, const Clock& clock);
Result<engine::Outcome> search_block_max_maxscore(const engine::Plan& plan, const Clock& clock);

}  // namespace frond::leaf::cpu
