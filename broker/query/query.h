#pragma once
// A query string to analysed terms: what is searched for, in the generation's own terms.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/text/analyzer.h"
#include "common/wire/messages.h"

namespace frond::broker {

inline constexpr std::size_t kMaxQueryBytes = 4096;

// kInvalid, in words for the user, naming q: longer than kMaxQueryBytes, or not UTF-8. Asked before anything is spent
// on the query.
Result<void> validate_query(std::string_view q);

struct Query {
  std::vector<wire::QueryTerm> terms;  // distinct, in order of first appearance; empty: nothing to search for
  // The same terms in byte order with their occurrences: equal for queries that have the same answer. Part of the
  // cache's key.
  std::string normalized;
};

// kInvalid: as above, or more than scoring::kMaxQueryTerms term occurrences. One thread an analyzer.
Result<Query> analyze_query(text::Analyzer& analyzer, std::string_view q);

}  // namespace frond::broker
