#pragma once
// A query of one term: its list is read once, block by block, and blocks whose bound can't reach the threshold are not
// decoded. `matches` is the list's length, so it is exact.
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// One of the plan's lists is not empty, and it is the only such. kCorrupt, kDeadline.
Result<engine::Outcome> search_single_term(const engine::Plan& plan, const Clock& clock);

}  // namespace frond::leaf::cpu
