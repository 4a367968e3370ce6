#include "broker/query/query.h"

#include <algorithm>
#include <unordered_map>

namespace frond::broker {

Result<void> validate_query(std::string_view q) {
  if (q.size() > kMaxQueryBytes)
    return Error(Code::kInvalid,
                 "q is " + std::to_string(q.size()) + " bytes, more than " + std::to_string(kMaxQueryBytes));
  if (!text::is_utf8(q)) return Error(Code::kInvalid, "q is not valid UTF-8");
  return {};
}

Result<Query> analyze_query(text::Analyzer& analyzer, std::string_view q) {
  FROND_TRY(validate_query(q));
  Query query;
  std::unordered_map<std::string_view, std::size_t> places;  // keys live in query.terms, which never reallocates
  query.terms.reserve(scoring::kMaxQueryTerms);
  std::size_t occurrences = 0;
  analyzer.analyze(q, [&](std::string_view term, text::TokenSpan) {
    if (++occurrences > scoring::kMaxQueryTerms) return;
    if (const auto place = places.find(term); place != places.end()) {
      ++query.terms[place->second].occurrences;
      return;
    }
    query.terms.push_back({std::string(term), 1});
    places.emplace(query.terms.back().text, query.terms.size() - 1);
  });
  if (occurrences > scoring::kMaxQueryTerms)
    return Error(Code::kInvalid, "q has " + std::to_string(occurrences) + " terms, more than " +
                                     std::to_string(scoring::kMaxQueryTerms));
  std::vector<const wire::QueryTerm*> sorted;
  for (const auto& term : query.terms) sorted.push_back(&term);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->text < b->text; });
  for (const auto* term : sorted) {  // terms hold no NUL, so the separator is one
    query.normalized += term->text;
    query.normalized += '\0';
    query.normalized += std::to_string(term->occurrences);
    query.normalized += '\0';
  }
  return query;
}

}  // namespace frond::broker
