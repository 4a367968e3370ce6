#pragma once
// The reference for clauses: node by node all documents that match, with their scores. Slow and simple on purpose;
// shares nothing with evaluation.h but the tree. It prunes nothing: it ignores Plan::floor.
#include "common/base/deadline.h"
#include "common/base/result.h"
#include "leaf/clauses/searched_partition.h"

namespace frond::leaf::clauses {

// As search() of evaluation.h.
Result<engine::Outcome> search_exhaustively(const ClausePlan& plan, const Clock& clock);

}  // namespace frond::leaf::clauses
