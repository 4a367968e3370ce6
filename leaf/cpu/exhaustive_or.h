#pragma once
// OR without pruning: every posting of every list is decoded, scored and added up, a window of documents at a time.
// What the pruning disjunctions are measured against, and for queries that ask for most of what matches the fastest of
// them. Counts exactly.
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// Two lists or more, none of them empty, k > 0. kCorrupt, kDeadline.
Result<engine::Outcome> search_exhaustive_or(const engine::Plan& plan, const Clock& clock);

}  // namespace frond::leaf::cpu
