#include "common/text/apostrophes.h"

#include <algorithm>
#include <iterator>

#include "common/text/utf8.h"
#include "common/text/word_class.h"

namespace frond::text {
namespace {

constexpr std::string_view kElided[] = {
    // French and Catalan
    "l", "d", "j", "m", "t", "s", "n", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu",
    // Italian
    "un", "all", "agl", "dall", "dagl", "dell", "degl", "nell", "negl", "sull", "sugl", "coll", "quell"};
constexpr std::size_t kMaxElidedBytes = 6;

// h, which is silent in these languages, counts as one.
bool is_vowel(char32_t c) {
  if (c < 0x80) return std::string_view("aeiouyh").find(static_cast<char>(c)) != std::string_view::npos;
  if (c == 0x153) return true;  // oe
  return c >= 0xe0 && c <= 0xff && c != 0xe7 && c != 0xf0 && c != 0xf1 && c != 0xf7 && c != 0xfe;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::size_t elided_bytes(std::string_view word) {
  const std::size_t apostrophe = word.substr(0, kMaxElidedBytes + 1).find('\'');
  if (apostrophe == std::string_view::npos || apostrophe + 1 >= word.size()) return 0;
  if (!is_vowel(decode_utf8(word, apostrophe + 1).value)) return 0;
  const bool known = std::ranges::find(kElided, word.substr(0, apostrophe)) != std::end(kElided);
  return known ? apostrophe + 1 : 0;
}

std::string_view without_apostrophes(std::string& word) {
  if (word.size() > 2 && word.ends_with("'s")) word.resize(word.size() - 2);
  if (word.size() > 2 && word.starts_with("o'")) word.erase(1, 1);
  return std::string_view(word).substr(elided_bytes(word));
}

bool has_ending(std::string_view before, std::string_view behind) {
  constexpr std::string_view kContracted[] = {"s", "t", "d", "m", "ll", "re", "ve"};
  constexpr std::size_t kLeastBefore = 3;
  constexpr char32_t kLastLatin = 0x24f;  // in Ukrainian, for one, apostrophes are parts of words
  const auto lower = [](std::string_view letters) {
    std::string small(letters);
    for (char& c : small)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return small;
  };
  if (before.size() < kLeastBefore || behind.empty()) return false;
  const char32_t first = decode_utf8(behind, 0).value;
  if (first > kLastLatin || word_class_of(first) != WordClass::kLetter) return false;
  const auto letters = static_cast<std::size_t>(std::ranges::find_if_not(behind, is_ascii_letter) - behind.begin());
  const bool is_contracted =
      (letters == behind.size() || is_ascii(behind[letters])) &&
      std::ranges::find(kContracted, lower(behind.substr(0, std::min<std::size_t>(letters, 3)))) !=
          std::end(kContracted);
  return !is_contracted &&
         (before.size() > kMaxElidedBytes || std::ranges::find(kElided, lower(before)) == std::end(kElided));
}

std::string_view without_thousands_commas(std::string& number) {
  const std::size_t first = number.find(',');
  if (first == 0 || first > 3) return number;
  for (std::size_t i = 0; i < number.size(); ++i) {
    const bool at_comma = i >= first && (i - first) % 4 == 0;
    if (at_comma ? number[i] != ',' : !is_digit(number[i])) return number;
  }
  if ((number.size() - first) % 4 != 0) return number;
  std::erase(number, ',');
  return number;
}

}  // namespace frond::text
