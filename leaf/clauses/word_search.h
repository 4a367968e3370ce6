#pragma once
// Queries of words alone, some of which or all of which a document must have: the engine of plain words (leaf/cpu)
// ranks them, and finds all their matches without scoring any, faster than the tree of matchers (evaluation.h). The
// hits, counts and what collectors are given are the same.
#include <optional>

#include "common/base/deadline.h"
#include "common/base/result.h"
#include "leaf/clauses/collector.h"
#include "leaf/clauses/searched_partition.h"

namespace frond::leaf::clauses {

// The plan with the query's words as its terms. Empty: the query is another one, or its sums may be too great for a
// Score.
std::optional<engine::Plan> words_plan(const ClausePlan& plan);

// As search() of evaluation.h. `words`: words_plan() of it. Collectors may be null; `sorted` needs no scores.
Result<engine::Outcome> search_words(const engine::Plan& words, const Clock& clock, Collector* sorted,
                                     Collector* counted);

}  // namespace frond::leaf::clauses
