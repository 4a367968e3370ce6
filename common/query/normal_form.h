#pragma once
// One form for all clauses that mean the same by rules that need no statistics: cheaper to evaluate, and the key of
// caches. Pure functions.
#include <string>

#include "common/query/clause.h"
#include "common/schema/schema.h"

namespace frond::query {

// Of a clause from bind(), with the same schema, whose texts have terms (asked()). Matches and scores stay as they are:
//  - boosts are multiplied (rounded to 1/256 each time, at most kMaxBoost) and stand directly on leaves;
//  - bools inside bools are one where that changes nothing, clauses that add no score are filters, and what is filtered
//    has no boosts, constants or maxima;
//  - `all` and `none` are where they decide something, or nowhere;
//  - clauses and values whose order means nothing are in the order of their JSON, and those that are there twice are
//    there once where no score or count changes.
// The normal form of a normal form is the same.
Clause normal_form(const Clause& bound, const schema::Schema& schema);

// Its JSON: equal for equal clauses, so it is a key. It does not begin with a letter.
std::string cache_key(const Clause& normal);

}  // namespace frond::query
