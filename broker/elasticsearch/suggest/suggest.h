#pragma once
// Suggesters of a search: for each word of a text the terms of the dictionary that are like it, as Lucene's direct
// spell checker chooses, scores and orders them. Pure functions.
#include <cstdint>
#include <string>
#include <vector>

#include "broker/elasticsearch/error.h"
#include "common/elasticsearch/mapping.h"
#include "common/query/near_words.h"
#include "common/text/analyzer.h"

namespace frond::broker::elasticsearch {

// Inputs of documents that begin like a text (completion.h).
struct CompletionSuggester {
  std::string name, text, field;
  enum class Kind : std::uint8_t { kPrefix, kFuzzy, kRegexp } kind = Kind::kPrefix;
  std::uint32_t size = 5;
  bool skip_duplicates = false;
  std::uint32_t edits = 0, same_letters = 1;  // of kFuzzy
  bool swaps = true;
};

struct TermSuggester {
  enum class Mode : std::uint8_t { kMissing, kPopular, kAlways };
  std::string name, text, field, analyzer;  // analyzer: empty: that of the field
  std::uint32_t size = 5, shard_size = 5;
  bool by_frequency = false;  // else by score
  Mode mode = Mode::kMissing;
  float accuracy = 0.5F;
  std::uint32_t edits = 2, same_letters = 1, least_letters = 4, inspections = 5;
  double most_documents = 0.01;  // that have the word; below 1 a share of all
  std::uint32_t least_documents = 0;
};
// `json`: the member `suggest`. 400; 501: what Frond has not, by name.
Expected<std::vector<TermSuggester>> read_suggesters(const Json& json);

// A word of a suggester's text, and what is asked for it.
struct SuggestedWord {
  const TermSuggester* suggester = nullptr;
  std::string word;
  std::size_t offset = 0, length = 0;         // in the text, in units of UTF-16
  std::vector<frond::query::NearWord> asked;  // of one edit and of two, where these begin alike for longer; may be none
  std::vector<frond::query::NearTerms> found;  // of each
};
// `suggesters` outlive the result. 400: there is no such field; 501: over kMaxNearWords.
Expected<std::vector<SuggestedWord>> suggested_words(const std::vector<TermSuggester>& suggesters,
                                                     const Mapping& mapping, text::Analyzer& analyzer);

// Of the answer to a search with SearchParameters::near: its "did_you_mean". 503: it doesn't say.
Expected<std::vector<frond::query::NearTerms>> near_in(const Json& did_you_mean, std::size_t words);
// Puts it into the words that it was asked for. Likewise.
Expected<void> take_found(const Json& did_you_mean, std::vector<SuggestedWord>& words);

// {"name":[{"text","offset","length","options":[{"text","score","freq"}, …]}, …], …} of several indices, whose words
// are the same, each with so many documents. 501: a dictionary has more than is looked at.
struct SuggestedIn {
  std::vector<SuggestedWord> words;
  std::uint64_t documents = 0;
};
Expected<Json> suggestions_json(const std::vector<TermSuggester>& suggesters, const std::vector<SuggestedIn>& indices,
                                bool typed_keys);

}  // namespace frond::broker::elasticsearch
