#pragma once
// The JSON form of a clause: {"bool":{"must":[{"words":{"text":"hard links"}}],"filter":[{"term":{"field":"tag",
// "value":"x"}}]}}. Pure functions.
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/query/clause.h"
#include "common/schema/json.h"

namespace frond::query {

// `default_mode`: of words that name none. `path` is that of the clause in the request, for messages ("query").
// kInvalid: an unknown clause or member (with the nearest right ones), one that is missing or of a wrong type, a number
// out of its range, or more than kMaxClauseDepth clauses inside each other. The message has the member's path:
// "query.bool.must[2].range.gte is …". Nothing is compared with a schema here: see bind.h.
Result<Clause> read_clause(const schema::Json& json, std::string_view path, Mode default_mode = Mode::kAuto);
// The same from a text, which is the clause and nothing else.
Result<Clause> parse_clause(std::string_view text, std::string_view path, Mode default_mode = Mode::kAuto);

// Compact, with each member in its fixed place; read_clause() gives an equal clause back. Texts are UTF-8, numbers are
// finite.
std::string clause_json(const Clause& clause);

}  // namespace frond::query
