#include "leaf/serve/known_terms.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace frond::leaf::serve {
namespace {

// How often each term occurs in the query, at its first place; 0 at the others. Brokers send distinct terms.
std::vector<std::uint32_t> occurrences_of(std::span<const wire::QueryTerm> terms) {
  std::vector<std::uint32_t> places(terms.size()), occurrences(terms.size(), 0);
  std::iota(places.begin(), places.end(), 0u);
  std::sort(places.begin(), places.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::tie(terms[a].text, a) < std::tie(terms[b].text, b); });
  for (std::size_t i = 0, first = 0; i < places.size(); ++i) {
    if (terms[places[i]].text != terms[places[first]].text) first = i;
    occurrences[places[first]] += terms[places[i]].occurrences;
  }
  return occurrences;
}

}  // namespace

Result<KnownTerms> look_up(const generation::ServedGeneration& generation, const scoring::Bm25Parameters& bm25,
                           std::span<const wire::QueryTerm> terms, TermTable* table) {
  KnownTerms known;
  known.terms.reserve(terms.size());
  const std::vector<std::uint32_t> occurrences = occurrences_of(terms);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (occurrences[i] == 0) continue;
    auto term = FROND_TRY(table != nullptr ? table->look_up(generation, terms[i].text)
                                           : KnownTerm::make(generation, terms[i].text));
    if (term->df() == 0) {
      known.all_known = false;
      continue;
    }
    const float weight = occurrences[i] == 1 && bm25.k1 == generation.bm25.k1
                             ? term->weight()
                             : scoring::term_weight(bm25, generation.statistics, term->df(), occurrences[i]);
    known.postings += term->df();
    known.terms.push_back({std::move(term), weight});
  }
  return known;
}

}  // namespace frond::leaf::serve
