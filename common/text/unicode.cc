#include "common/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

#include "common/text/utf8.h"

namespace frond::text {
namespace {

struct Range {
  char32_t first, last;
};

// Sorted tables; what Unicode's general categories don't tell.
constexpr Range kAlone[] = {
    {0x3005, 0x3007},   {0x3021, 0x3029},   {0x3038, 0x303b},   {0x3041, 0x3096},   {0x309d, 0x309f},
    {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xf900, 0xfaff},   {0x16fe4, 0x16fe4}, {0x17000, 0x18cff},
    {0x1b001, 0x1b11f}, {0x1b150, 0x1b152}, {0x1b170, 0x1b2ff}, {0x1f200, 0x1f200}, {0x20000, 0x3fffd},
};
constexpr Range kKatakana[] = {
    {0x3031, 0x3035}, {0x309b, 0x309c}, {0x30a0, 0x30fa}, {0x30fc, 0x30ff},   {0x31f0, 0x31ff},
    {0x32d0, 0x32fe}, {0x3300, 0x3357}, {0xff66, 0xff9d}, {0x1b000, 0x1b000}, {0x1b164, 0x1b167},
};
// Symbols and punctuation that words of some language contain.
constexpr Range kMoreLetters[] = {
    {0x02c2, 0x02c5}, {0x02d2, 0x02d7}, {0x02de, 0x02df}, {0x02e5, 0x02eb},   {0x02ed, 0x02ed},   {0x02ef, 0x02ff},
    {0x055a, 0x055c}, {0x055e, 0x055e}, {0x058a, 0x058a}, {0x05f3, 0x05f3},   {0x24b6, 0x24e9},   {0xa708, 0xa716},
    {0xa720, 0xa721}, {0xa789, 0xa78a}, {0xab5b, 0xab5b}, {0x1f130, 0x1f149}, {0x1f150, 0x1f169}, {0x1f170, 0x1f189},
};
constexpr char32_t kMidLetter[] = {0x00b7, 0x0387, 0x055f, 0x05f4, 0x2027, 0xfe13, 0xfe55, 0xff1a};
constexpr char32_t kMidDigit[] = {0x037e, 0x0589, 0x060c, 0x060d, 0x066c, 0x07f8, 0x2044,
                                  0xfe10, 0xfe14, 0xfe50, 0xfe54, 0xff0c, 0xff1b};
constexpr char32_t kMidBoth[] = {0x2018, 0x2019, 0x2024, 0xfe52, 0xff07, 0xff0e};

template <std::size_t kCount>
bool in(const Range (&table)[kCount], char32_t c) {
  const Range* range = std::ranges::lower_bound(table, c, {}, &Range::last);
  return range != std::end(table) && c >= range->first;
}
template <std::size_t kCount>
bool in(const char32_t (&table)[kCount], char32_t c) {
  return std::ranges::binary_search(table, c);
}

WordClass class_by_category(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
      return WordClass::kLetter;
    case UTF8PROC_CATEGORY_ND:
      return WordClass::kDigit;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return WordClass::kExtend;
    case UTF8PROC_CATEGORY_CF:
      return c == 0x200b ? WordClass::kBreak : WordClass::kExtend;  // a zero-width space is a space
    case UTF8PROC_CATEGORY_PC:
      return WordClass::kConnector;
    default:
      return in(kMoreLetters, c) ? WordClass::kLetter : WordClass::kBreak;
  }
}

constexpr std::size_t kMaxPoints = 64;      // of a cluster
constexpr std::int32_t kReplaced = 0xfffd;  // stands for a byte that is not UTF-8

struct Place {
  std::int32_t c = kReplaced;
  std::size_t bytes = 1;
};
Place place_at(std::string_view text, std::size_t at) {
  const CodePoint c = decode_utf8(text, at);
  return {c.value == kNoCodePoint ? kReplaced : static_cast<std::int32_t>(c.value), c.bytes};
}
// Where the code point that ends before `at` begins; at > 0.
std::size_t code_point_before(std::string_view text, std::size_t at) {
  std::size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80) --begin;
  return place_at(text, begin).bytes == at - begin ? begin : at - 1;
}

unsigned bound_class(std::int32_t c) { return utf8proc_get_property(c)->boundclass; }
// Whether a cluster may not begin at `c`, by what is before it.
bool may_go_on_with(std::int32_t c) {
  constexpr unsigned kBeginners[] = {UTF8PROC_BOUNDCLASS_START,   UTF8PROC_BOUNDCLASS_OTHER,
                                     UTF8PROC_BOUNDCLASS_CR,      UTF8PROC_BOUNDCLASS_LF,
                                     UTF8PROC_BOUNDCLASS_CONTROL, UTF8PROC_BOUNDCLASS_PREPEND};
  return std::ranges::find(kBeginners, bound_class(c)) == std::end(kBeginners);
}

// Calls visit(place) for places at which clusters begin, in order, from one at or before `at`, until it is false.
template <class Visit>
void clusters_around(std::string_view text, std::size_t at, Visit&& visit) {
  std::size_t begin = code_point_before(text, at);
  for (std::size_t points = 1; begin > 0 && points < kMaxPoints; ++points) {
    const std::size_t one = code_point_before(text, begin);
    const std::int32_t c = place_at(text, begin).c;
    if (!may_go_on_with(c) && bound_class(place_at(text, one).c) != UTF8PROC_BOUNDCLASS_PREPEND) break;
    if (bound_class(c) == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR) points = 0;  // flags are told apart from the first on
    begin = one;
  }
  std::int32_t state = 0;
  std::size_t points = 1;  // of the cluster
  Place here = place_at(text, begin);
  if (!visit(begin)) return;
  for (std::size_t next = begin + here.bytes; next < text.size(); next += here.bytes) {
    const std::int32_t last = here.c;
    here = place_at(text, next);
    points = utf8proc_grapheme_break_stateful(last, here.c, &state) ? 1 : points + 1;
    if ((points == 1 || points > kMaxPoints) && !visit(next)) return;
  }
  visit(text.size());
}

bool is_plainly_between(std::string_view text, std::size_t at) {
  return at == 0 || at >= text.size() || (is_ascii(text[at]) && is_ascii(text[at - 1]));
}

// Capitals that are not the capital of their small letter: I with a dot, the signs of Kelvin, Angstrom and Ohm, the
// symbol theta, the sharp s.
char32_t another_capital(char32_t lower) {
  constexpr char32_t kCapitals[][2] = {{U'i', 0x130},   {U'k', 0x212a}, {0xe5, 0x212b},
                                       {0x3c9, 0x2126}, {0x3b8, 0x3f4}, {0xdf, 0x1e9e}};
  for (const auto& [small, capital] : kCapitals)
    if (small == lower) return capital;
  return lower;
}

}  // namespace

WordClass word_class_of(char32_t c) {
  if (c < 0x80) return kAsciiWordClass[c];
  if (c > 0x10ffff) return WordClass::kBreak;
  if (c >= 0x3005 && (c < 0xa000 || c >= 0xf900)) {
    if (in(kAlone, c)) return WordClass::kAlone;
    if (in(kKatakana, c)) return WordClass::kKatakana;
  }
  if (c == 0x202f) return WordClass::kConnector;              // the narrow no-break space that groups digits
  if (c == 0x066b) return WordClass::kDigit;                  // Arabic's decimal separator
  if (c == 0xff9e || c == 0xff9f) return WordClass::kExtend;  // halfwidth voicing marks
  if (in(kMidLetter, c)) return WordClass::kMidLetter;
  if (in(kMidBoth, c)) return WordClass::kMidBoth;
  if (in(kMidDigit, c)) return WordClass::kMidDigit;
  return class_by_category(c);
}

bool is_symbol(char32_t c) {
  // Signs that stand for / \\ * | ~ . or -, and for what could not be shown.
  constexpr char32_t kLikeOthers[] = {0xa6,   0x2212, 0x2215, 0x2216, 0x2217, 0x2219,
                                      0x2223, 0x223c, 0x22c5, 0xfffc, 0xfffd};
  if (c < 0xa2 || c > 0x10ffff || (c >= 0x2500 && c < 0x25a0) || (c >= 0x207a && c <= 0x208c)) return false;
  if ((c >= 0xfe50 && c < 0xfe70) || (c >= 0xff00 && c < 0xfff0) || in(kLikeOthers, c)) return false;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  const bool is_sign =
      category == UTF8PROC_CATEGORY_SO || category == UTF8PROC_CATEGORY_SC || category == UTF8PROC_CATEGORY_SM;
  return is_sign && word_class_of(c) == WordClass::kBreak;
}

std::size_t cluster_begin(std::string_view text, std::size_t at) {
  if (is_plainly_between(text, at)) return at;
  std::size_t found = 0;
  clusters_around(text, at, [&](std::size_t place) {
    if (place <= at) found = place;
    return place < at;
  });
  return found;
}

std::size_t cluster_end(std::string_view text, std::size_t at) {
  if (is_plainly_between(text, at)) return at;
  std::size_t found = at;
  clusters_around(text, at, [&](std::size_t place) {
    found = place;
    return place < at;
  });
  return found;
}

std::array<char32_t, 4> letters_with_lower_case(char32_t lower) {
  const auto c = static_cast<utf8proc_int32_t>(lower);
  std::array<char32_t, 4> letters = {lower, static_cast<char32_t>(utf8proc_toupper(c)),
                                     static_cast<char32_t>(utf8proc_totitle(c)), another_capital(lower)};
  // The capital of a long s is S, and of a dotless i is I, whose lower cases are others.
  for (char32_t& letter : letters)
    if (utf8proc_tolower(static_cast<utf8proc_int32_t>(letter)) != c) letter = lower;
  return letters;
}

std::string small_letters(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    if (c.value == kNoCodePoint)
      out += text[at];
    else
      append_utf8(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c.value))), out);
    at += c.bytes;
  }
  return out;
}

}  // namespace frond::text
