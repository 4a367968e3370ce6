#pragma once
// Values of fields of the type `completion`: a keyword column has entries of an input as it is compared, its weight,
// and the input as it came. Pure functions.
#include <string>
#include <string_view>
#include <vector>

#include "common/elasticsearch/error.h"

namespace frond::elasticsearch {

// What a document has in the field: a text, {"input":…,"weight":…}, or a list of either. 400: anything else.
Expected<std::vector<std::string>> completion_entries(const Json& json);

struct CompletionEntry {
  std::string_view compared, weight, input;
};
// REQUIRES: completion_entries() gave the entry.
CompletionEntry parts_of(std::string_view entry);

// A text's words as Lucene's simple analyzer has them.
Expected<std::string> compared_form(std::string_view text);

}  // namespace frond::elasticsearch
