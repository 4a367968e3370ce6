#pragma once
// The reference for collect(): looks at the values of each document that matches, one by one. Slow and simple on
// purpose; shares nothing with it.
#include "leaf/collect/collect.h"

namespace frond::leaf::collect {

// As collect(); all matches are counted, and Plan::floor is ignored.
Result<Collected> collect_exhaustively(const clauses::ClausePlan& plan, const Wanted& wanted,
                                       const schema::Schema& schema, const Clock& clock);

}  // namespace frond::leaf::collect
