#pragma once
// Words that are too frequent to tell documents apart.
#include <string_view>

namespace frond::text {

// Lucene's 33 English stop words, in lower case.
bool is_english_stop_word(std::string_view word);

}  // namespace frond::text
