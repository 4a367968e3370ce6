#include "common/text/word_class.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

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

}  // namespace frond::text
