#pragma once
// OR, document at a time, by essential lists: sorted by their bounds, the lists that even together can't reach the
// threshold are only looked up, for documents of the others.
//
// MaxScore: Turtle and Flood, IP&M 1995. Block-max MaxScore: Chakrabarti, Chaudhuri and Ganti, WSDM 2011: before a list
// is looked up its block's bound tells whether that can still matter. Both are rank-safe. disjunction.h does the same
// over windows of documents instead of single ones.
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// Two lists or more, none of them empty, k > 0. kCorrupt, kDeadline.
Result<engine::Outcome> search_maxscore(const engine::Plan& plan, const Clock& clock);
Result<engine::Outcome> search_block_max_maxscore(const engine::Plan& plan, const Clock& clock);

}  // namespace frond::leaf::cpu
