#pragma once
// The completion suggester: inputs of documents that begin like a text, the heaviest first. A field of the type
// `completion` is a keyword column of entries (completion_entry.h). All entries of an index are looked through, of up
// to kMaxFacetSize. Pure functions.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "broker/elasticsearch/search/index_search.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxCompletionHits = 1000;  // documents of an index that may begin so

// Takes those out of the member `suggest`. 400; 501, by name.
Expected<std::vector<CompletionSuggester>> take_completions(Json& suggest);

// Which entries of an index begin as wanted, by suggester; none while its entries are not known. 400: the field is no
// completion field; 501: too many do, or it takes too long; a fuzzy one whose score is not known.
Expected<std::vector<std::vector<std::string>>> completed(const std::vector<CompletionSuggester>& all,
                                                          const Mapping& mapping, Statistics& statistics);
// For the documents that have them.
http::SearchParameters search_for(const CompletionSuggester& of, const Mapping& mapping,
                                  const std::vector<std::string>& matching);

// The documents of an answer that have some of these entries, each with the best of its own. 501: too many have.
struct CompletionOption {
  std::string input, compared;
  double score = 0;
  Json shown;
};
Expected<std::vector<CompletionOption>> completion_options(const CompletionSuggester& of,
                                                           const std::vector<std::string>& matching,
                                                           const http::Answer& found, const ShownSource& source,
                                                           const SearchedIndex& index);
// [{"text","offset","length","options":[…]}] of several indices.
Json completions_json(const CompletionSuggester& of, std::vector<CompletionOption> options);

}  // namespace frond::broker::elasticsearch
