#pragma once
// OR without pruning: every posting of every list is decoded, scored and added up, one window of documents at a time.
// The baseline for the algorithms that prune, and the fastest of them if a query asks for most of its matches.
// `matches` is exact.
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// At least two lists, none of them empty; k > 0. Errors: kCorrupt, kDeadline.
Result<engine::Outcome> search_exhaustive_or(const engine::Plan& plan, const Clock& clock);

}  // namespace frond::leaf::cpu
