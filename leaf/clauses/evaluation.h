#pragma once
// A query on one partition.
#include "common/base/deadline.h"
#include "common/base/result.h"
#include "common/partition/values/value_column.h"
#include "leaf/clauses/searched_partition.h"

namespace frond::leaf::clauses {

// The k best documents that match; unranked, the k first. Matches up to Plan::count_to are counted exactly; behind
// that, ranked, documents that cannot be among the k best are passed over. Errors: kCorrupt if a list or a document's
// words do not decode; kDeadline; kUnavailable.
Result<engine::Outcome> search(const ClausePlan& plan, const Clock& clock);

// All documents that match, hidden ones too. The same errors.
Result<partition::DocumentBits> matching(const ClausePlan& plan, const Clock& clock);

}  // namespace frond::leaf::clauses
