#pragma once
// What a query may cost, dimension by dimension. Pure functions.
#include <cstddef>
#include <cstdint>

#include "common/base/result.h"
#include "common/query/clause.h"

namespace frond::query {

// Operators choose them by flags; these are the defaults.
struct Limits {
  std::size_t max_clauses = 1024;
  std::size_t max_depth = 32;           // clauses inside each other; at most kMaxClauseDepth
  std::size_t max_terms = 512;          // written words and weighted tokens, repeated ones included
  std::size_t max_values = 10'000;      // of term, terms and ids
  std::size_t max_bytes = 1u << 20;     // of texts, values and names
  std::size_t max_patterns = 16;        // prefixes, wildcards and phrases with a prefix
  std::uint32_t max_expansions = 1024;  // terms that one of these stands for; whoever expands them refuses more
  std::size_t min_prefix = 2;           // characters before the first * or ? of a pattern
  std::uint32_t max_slop = 100;
};

// What a clause has of each.
struct Cost {
  std::size_t clauses = 0, depth = 0, terms = 0, values = 0, bytes = 0, patterns = 0;
  friend bool operator==(const Cost&, const Cost&) = default;
};
Cost cost_of(const Clause& clause);

// kInvalid: "the query has 1200 clauses, more than max_clauses (1024)"; likewise for each limit but max_expansions, and
// for boosts inside each other, which multiply to at most kMaxBoost, with a constant score to at most
// kMaxConstantScore.
Result<void> check_limits(const Clause& clause, const Limits& limits);

// Characters of a wildcard pattern before its first * or ?; all, if there is none.
std::size_t fixed_characters(std::string_view pattern);

}  // namespace frond::query
