#pragma once
// Queries in which a document must have some terms, or the words of a phrase: they lead, block by block of the rarest
// list, and what else the query has is looked up for the few documents that are left. Faster than windows of documents
// (evaluation.h) for such trees; the hits are the same. Bounds of blocks are those of Ding and Suel (2011), "Faster
// Top-k Document Retrieval Using Block-Max Indexes", section 4; a phrase is in a document at most as often as each of
// its words (with slop: as its first word, since one place of another may serve several), so its score is at most the
// least of these words' scores with the phrase's weight.
#include "common/base/deadline.h"
#include "common/base/result.h"
#include "leaf/clauses/required/required_query.h"
#include "leaf/clauses/searched_partition.h"

namespace frond::leaf::clauses {

// The k best, of a ranked plan with k > 0. Matches are counted up to Plan::count_to; later those that cannot be among
// the k best are passed over, and the count is a lower bound. Errors as search().
Result<engine::Outcome> search_required(const ClausePlan& plan, const RequiredQuery& query, const Clock& clock);

}  // namespace frond::leaf::clauses
