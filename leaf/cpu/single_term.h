#pragma once
// A query with one list: it is read once, block by block. Blocks whose bounds can't reach the threshold are not
// decoded. `matches` is the list's length, so it is exact.
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// Exactly one of the plan's lists has postings. Errors: kCorrupt, kDeadline.
Result<engine::Outcome> search_single_term(const engine::Plan& plan, const Clock& clock);

}  // namespace frond::leaf::cpu
