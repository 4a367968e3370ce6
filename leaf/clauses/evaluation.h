#pragma once
// A query on one partition.
#include "common/base/deadline.h"
#include "common/base/result.h"
#include "common/partition/values/value_column.h"
#include "leaf/clauses/collector.h"
#include "leaf/clauses/searched_partition.h"

namespace frond::leaf::clauses {

// The k best documents that match; unranked, the k first. Matches up to Plan::count_to are counted exactly; behind
// that, ranked, documents that cannot be among the k best are passed over. Errors: kCorrupt if a list or a document's
// words do not decode; kDeadline; kUnavailable.
Result<engine::Outcome> search(const ClausePlan& plan, const Clock& clock);

// The same for collectors, either of which may be null. `sorted` has the hits in place of the outcome, which has none;
// ranked or not, matches that it has no use for need not be counted, as above. `counted` is given all documents that
// match, and then all are counted. Also errors of the collectors.
Result<engine::Outcome> search(const ClausePlan& plan, const Clock& clock, Collector* sorted, Collector* counted);

// All documents that match, hidden ones too. The same errors.
Result<partition::DocumentBits> matching(const ClausePlan& plan, const Clock& clock);

}  // namespace frond::leaf::clauses
