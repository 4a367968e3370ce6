#pragma once
// What was understood, for people: a clause in the signs of the query language. Pure function.
#include <string>

#include "common/query/clause.h"
#include "common/schema/schema.h"

namespace frond::query {

// "+(hard links) \"a phrase\"~2 -title:other #year:[2010 TO 2020]". What the query language has no sign for: `#`
// filter,
// `~2` behind a group at least two of it, `(a | b)~0.1` the best of it, `^=1.5` a constant score, `ids:(a OR b)`,
// `field:{token^1.5}` weights. Dates of bound clauses are RFC 3339. Boosts and numbers have the digits they need.
std::string clause_text(const Clause& clause, const schema::Schema& schema);

}  // namespace frond::query
