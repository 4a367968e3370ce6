#pragma once
// The tokens that an analyzer of Elasticsearch makes of a text, with their places: for _analyze, which shows also such
// analyzers as no index of Frond can have. Pure functions.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "broker/elasticsearch/error.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxShownTokens = 10'000;  // as Elasticsearch has it

struct ShownToken {
  std::string text;
  std::size_t begin = 0, end = 0;  // bytes of the text
  std::string_view type;           // "<ALPHANUM>", "word"
  std::size_t position = 0;        // with gaps where tokens were dropped
};

// {"tokenizer":…,"filter":[…]}: of an analyzer by name, built in or of the settings' "analysis"; null: there is none.
// 501: what Frond has not.
Expected<Json> analyzer_parts(const Json& analysis, const std::string& name);

// `parts`: a tokenizer and filters, by name or as objects. 400: an unknown one, or more than kMaxShownTokens; 501.
Expected<std::vector<ShownToken>> tokens_of(const Json& analysis, const Json& parts, std::string_view text);

}  // namespace frond::broker::elasticsearch
