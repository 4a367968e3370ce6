#pragma once
// A clause meets the fields of a collection. Pure functions.
#include <string_view>

#include "common/base/result.h"
#include "common/query/clause.h"
#include "common/schema/schema.h"

namespace frond::query {

// The clause with each value in the type of its column: "2010" is the integer 2010, and dates are milliseconds, so that
// a whole year becomes a range. Bounds of integers and dates become inclusive; a range without bounds is exists, one
// that holds nothing is none, one of a single value is a term. Words on a column are a term.
//
// kInvalid, with the path of the clause below `path`: a field that is not in the schema (with the three nearest names);
// text of a field without field_search; a phrase where there are no positions; a range over text, weights or booleans;
// a prefix or wildcard where no strings are; a value that is not the column's type; a weights clause on another field;
// more than kMaxClauseDepth clauses inside each other.
Result<Clause> bind(const Clause& clause, const schema::Schema& schema, std::string_view path);

// What a field can be asked for, in words that follow "field 'title' "; empty: it can. For `exists` and columns nothing
// is wrong with any field that has values.
enum class Use { kWords, kPhrase, kPattern, kRange, kValues, kExists };
std::string_view problem_of(const schema::Field& field, Use use);

// Whether a bound clause can add to a score.
bool is_scoring(const Clause& clause, const schema::Schema& schema);

}  // namespace frond::query
