#pragma once
// Clauses that are plain words after all: any or all of some terms of the whole text, with nothing to multiply their
// scores. The engines of plain words answer them, with the same hits.
#include <optional>
#include <vector>

#include "leaf/clauses/resolved_query.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::clauses {

struct FlatQuery {
  engine::Mode mode = engine::Mode::kOr;
  std::vector<float> weights;  // by ListNumber: of all lists of the query
};

// Empty: the tree is of another form.
std::optional<FlatQuery> flat_query(const ResolvedQuery& query);

}  // namespace frond::leaf::clauses
