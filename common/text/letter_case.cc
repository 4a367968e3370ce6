#include "common/text/letter_case.h"

#include <utf8proc.h>

namespace frond::text {
namespace {

// Capitals that are not the capital of their small letter.
char32_t another_capital(char32_t lower) {
  switch (lower) {
    case U'i':
      return 0x130;  // with a dot
    case U'k':
      return 0x212a;  // Kelvin
    case 0xe5:
      return 0x212b;  // Angstrom
    case 0x3c9:
      return 0x2126;  // Ohm
    case 0x3b8:
      return 0x3f4;  // theta, a symbol
    case 0xdf:
      return 0x1e9e;  // sharp s
    default:
      return lower;
  }
}

}  // namespace

std::array<char32_t, 4> letters_with_lower_case(char32_t lower) {
  const auto c = static_cast<utf8proc_int32_t>(lower);
  std::array<char32_t, 4> letters = {lower, static_cast<char32_t>(utf8proc_toupper(c)),
                                     static_cast<char32_t>(utf8proc_totitle(c)), another_capital(lower)};
  // The capital of a long s is S, and of a dotless i is I, whose lower cases are others.
  for (char32_t& letter : letters)
    if (utf8proc_tolower(static_cast<utf8proc_int32_t>(letter)) != c) letter = lower;
  return letters;
}

}  // namespace frond::text
