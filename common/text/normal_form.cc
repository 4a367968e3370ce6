#include "common/text/normal_form.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

#include "common/text/token_cutter.h"
#include "common/text/unicode.h"
#include "common/text/utf8.h"

namespace frond::text {
namespace {

constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE |
                                                         UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);

bool is_apostrophe(std::int32_t c) { return c == 0x2018 || c == 0x2019 || c == 0x02bc; }

// Letters that Unicode does not decompose, with what people type instead.
struct Folded {
  std::int32_t letter;
  std::int32_t to[2];  // the second may be 0
};
constexpr Folded kFolded[] = {{0xe6, {'a', 'e'}}, {0xf0, {'d', 0}},    {0xf8, {'o', 0}},  {0xfe, {'t', 'h'}},
                              {0x111, {'d', 0}},  {0x127, {'h', 0}},   {0x131, {'i', 0}}, {0x142, {'l', 0}},
                              {0x14b, {'n', 0}},  {0x153, {'o', 'e'}}, {0x167, {'t', 0}}};

constexpr std::int32_t kLetterDotlessI = 0x131;

bool loses_marks(std::int32_t base) { return base < 0x400 || base == 0x435; }

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

}  // namespace

void NormalForm::apply(std::string_view token, std::string& out) {
  out.clear();
  if (!is_utf8(token)) {
    valid_.clear();
    for (std::size_t at = 0; at < token.size();) {
      const CodePoint c = decode_utf8(token, at);
      at += c.bytes;
      if (c.value != kNoCodePoint) append_utf8(c.value, valid_);
    }
    token = valid_;
  }
  const auto decompose = [&] {
    return utf8proc_decompose(reinterpret_cast<const utf8proc_uint8_t*>(token.data()),
                              static_cast<utf8proc_ssize_t>(token.size()), points_.data(),
                              static_cast<utf8proc_ssize_t>(points_.size()), kOptions);
  };
  utf8proc_ssize_t count = decompose();
  if (count > static_cast<utf8proc_ssize_t>(points_.size())) {
    points_.resize(static_cast<std::size_t>(count));
    count = decompose();
  }
  if (count <= 0) return;
  const std::size_t room = points_.size();
  points_.resize(static_cast<std::size_t>(count));
  fold_marks();
  count = utf8proc_normalize_utf32(points_.data(), static_cast<utf8proc_ssize_t>(points_.size()), kOptions);
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    const std::size_t before = out.size();
    append_utf8(static_cast<char32_t>(points_[static_cast<std::size_t>(i)]), out);
    if (out.size() <= kMaxTokenBytes) continue;
    out.resize(before);
    break;
  }
  points_.resize(room);
}

void NormalForm::fold_marks() {
  std::int32_t base = 0;  // the last code point that is no combining mark
  std::vector<std::int32_t>& all = points_;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::int32_t c = all[i];
    if (c <= ' ' || c == 0x7f) continue;
    if (is_apostrophe(c)) c = '\'';
    if (c == kLetterDotlessI && fold_dotless_) c = 'i';
    if (c >= 0x300 && c < 0x370) {
      if ((c == 0x307 && base == 'i') || (fold_accents_ && loses_marks(base))) continue;
    } else {
      base = c;
    }
    all[kept++] = c;
  }
  all.resize(kept);
  if (!fold_accents_) return;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Folded* folded = std::ranges::find(kFolded, all[i], &Folded::letter);
    if (folded == std::end(kFolded)) continue;
    all[i] = folded->to[0];
    if (folded->to[1] != 0) all.insert(all.begin() + static_cast<std::ptrdiff_t>(++i), folded->to[1]);
  }
}

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
    if (at_comma ? number[i] != ',' : !is_ascii_digit(number[i])) return number;
  }
  if ((number.size() - first) % 4 != 0) return number;
  std::erase(number, ',');
  return number;
}

}  // namespace frond::text
