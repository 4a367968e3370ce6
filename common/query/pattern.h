#pragma once
// Patterns with `*`, `?` and `\`. Internal to this folder. Pure functions.
#include <string>
#include <string_view>

#include "common/query/clause.h"

namespace frond::query {

// The text with `\` before each character that a pattern or the query language would take for a sign.
std::string escaped_pattern(std::string_view text);

// The same as a prefix if its only sign is one `*` at the end; else with one `*` for several beside each other.
Clause simplest_pattern(const Wildcard& wildcard);

}  // namespace frond::query
