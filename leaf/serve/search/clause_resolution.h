#pragma once
// A clause with a generation's terms.
#include "common/base/deadline.h"
#include "common/base/result.h"
#include "common/query/clause.h"
#include "leaf/clauses/resolve/resolved_query.h"
#include "leaf/generation/served_generation.h"
#include "leaf/serve/search/search_parts.h"

namespace frond::leaf::serve {

// Errors as clauses::resolve(), and kCorrupt, kUnavailable from reading the generation's statistics.
Result<clauses::ResolvedQuery> resolve_in(const generation::ServedGeneration& generation, const query::Clause& clause,
                                          const scoring::Bm25Parameters& bm25, const SearchParts& parts,
                                          Deadline deadline);

}  // namespace frond::leaf::serve
