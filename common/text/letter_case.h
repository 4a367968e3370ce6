#pragma once
// Which code points an analyzer's lower-casing maps to a given one.
#include <array>

namespace frond::text {

// `lower` itself, its capital, its title case and one more; several may be the same. Complete for what is its own lower
// case: every code point that utf8proc's simple mapping takes to `lower` is among them.
std::array<char32_t, 4> letters_with_lower_case(char32_t lower);

}  // namespace frond::text
