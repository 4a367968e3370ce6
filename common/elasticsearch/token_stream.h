#pragma once
// The tokens that an analyzer of Elasticsearch makes of a text, with their places: for _analyze, which shows also such
// analyzers as no index of Frond can have. Pure functions.
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/elasticsearch/error.h"

namespace frond::elasticsearch {

inline constexpr std::size_t kMaxShownTokens = 10'000;                   // as Elasticsearch has it
inline constexpr std::size_t kMaxFilters = 32, kMaxStopWords = 100'000;  // of all filters
inline constexpr std::size_t kMaxTokenWork = 2 << 20;  // bytes of tokens that all filters read, and one for each token

struct ShownToken {
  std::string text;
  std::size_t begin = 0, end = 0;  // bytes of the text
  std::string_view type;           // "<ALPHANUM>", "word"
  std::size_t position = 0;        // with gaps where tokens were dropped
};

// {"tokenizer":…,"filter":[…]}: of an analyzer by name, built in or of the settings' "analysis"; null: there is none.
// 501: what Frond has not.
Expected<Json> analyzer_parts(const Json& analysis, const std::string& name);

// The tokens of one text of a request. 400: over kMaxShownTokens, or kMaxTokenWork with the texts before; 501.
using TokensOf = std::function<Expected<std::vector<ShownToken>>(std::string_view text)>;
// `parts`: a tokenizer and filters, by name or as objects. `analysis` outlives the result. 400: over kMaxFilters or
// kMaxStopWords; 501.
Expected<TokensOf> token_stream(const Json& analysis, Json parts);

}  // namespace frond::elasticsearch
