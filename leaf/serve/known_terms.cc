#include "leaf/serve/known_terms.h"

#include <string_view>
#include <unordered_map>

namespace frond::leaf::serve {

Result<KnownTerms> look_up(const generation::ServedGeneration& generation, std::span<const wire::QueryTerm> terms) {
  KnownTerms known;
  std::unordered_map<std::string_view, std::uint32_t> occurrences;
  for (const auto& term : terms) occurrences[term.text] += term.occurrences;
  for (const auto& term : terms) {
    const auto found = occurrences.find(term.text);
    if (found == occurrences.end()) continue;  // a repeated term
    const Result<std::uint64_t> df = generation.terms->df(term.text);
    if (df) {
      known.terms.push_back(
          {term.text, *df, scoring::term_weight(generation.bm25, generation.statistics, *df, found->second)});
      known.postings += *df;
    } else if (df.error().code() == Code::kNotFound) {
      known.all_known = false;
    } else {
      return df.error();
    }
    occurrences.erase(found);
  }
  return known;
}

}  // namespace frond::leaf::serve
