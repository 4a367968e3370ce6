#pragma once
// Half surrogate pairs in JSON: "\ud83d" without the other half behind it, from text that was cut in the middle of an
// emoji. Parsers refuse it, since no UTF-8 can express it.
#include <string>
#include <string_view>

namespace frond::text {

// The JSON text with each escape of half a pair replaced by that of U+FFFD. Any bytes; all else is not changed.
std::string with_whole_surrogates(std::string_view json);

}  // namespace frond::text
