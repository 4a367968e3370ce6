#include "common/text/porter.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>

namespace frond::text {
namespace {

// Classes of characters. A "y" that is a consonant is a "Y" while the word is stemmed.
constexpr std::uint8_t kVowel = 1, kVowelOrWxy = 2;
constexpr auto kClasses = [] {
  std::array<std::uint8_t, 256> table{};
  for (const char c : std::string_view("aeiouy")) table[static_cast<unsigned char>(c)] = kVowel | kVowelOrWxy;
  for (const char c : std::string_view("wxY")) table[static_cast<unsigned char>(c)] = kVowelOrWxy;
  return table;
}();

struct Rule {
  std::string_view suffix, replacement;
};
// The first suffix that fits counts, so longer ones come first.
constexpr Rule kStep2[] = {
    {"ational", "ate"}, {"ization", "ize"}, {"fulness", "ful"}, {"iveness", "ive"}, {"ousness", "ous"},
    {"tional", "tion"}, {"biliti", "ble"},  {"entli", "ent"},   {"ousli", "ous"},   {"alism", "al"},
    {"aliti", "al"},    {"ation", "ate"},   {"iviti", "ive"},   {"abli", "able"},   {"alli", "al"},
    {"anci", "ance"},   {"ator", "ate"},    {"enci", "ence"},   {"izer", "ize"},    {"eli", "e"},
};
constexpr Rule kStep3[] = {
    {"alize", "al"}, {"ative", ""}, {"icate", "ic"}, {"iciti", "ic"}, {"ical", "ic"}, {"ness", ""}, {"ful", ""},
};
constexpr Rule kStep4[] = {
    {"ement", ""}, {"able", ""}, {"ance", ""}, {"ence", ""}, {"ible", ""}, {"ment", ""}, {"ant", ""},
    {"ate", ""},   {"ent", ""},  {"ion", ""},  {"ism", ""},  {"iti", ""},  {"ive", ""},  {"ize", ""},
    {"ous", ""},   {"al", ""},   {"er", ""},   {"ic", ""},   {"ou", ""},
};
constexpr std::string_view kDoubled = "bdfgmnprt";

// The last letters of a step's suffixes, as a set of bits.
constexpr std::uint32_t last_letters(std::span<const Rule> rules) {
  std::uint32_t letters = 0;
  for (const Rule& rule : rules) letters |= 1u << (rule.suffix.back() - 'a');
  return letters;
}
constexpr std::uint32_t kLast2 = last_letters(kStep2), kLast3 = last_letters(kStep3), kLast4 = last_letters(kStep4);

class Word {
 public:
  Word(char* word, std::size_t size) : word_(word), size_(size) {
    for (std::size_t i = 0; i < size_; ++i)
      if (word_[i] == 'y' && (i == 0 || is(i - 1, kVowel))) {
        word_[i] = 'Y';
        has_consonant_y_ = true;
      }
    r1_ = behind_vowel_and_consonant(0);
    r2_ = behind_vowel_and_consonant(r1_);
  }

  std::size_t stem() {
    step_1a();
    step_1b();
    step_1c();
    if (const Rule* const rule = find(kStep2, kLast2); rule != nullptr && r1_ <= size_ - rule->suffix.size())
      replace(*rule);
    if (const Rule* const rule = find(kStep3, kLast3); rule != nullptr && r1_ <= size_ - rule->suffix.size())
      replace(*rule);
    step_4();
    step_5();
    if (has_consonant_y_) std::replace(word_, word_ + size_, 'Y', 'y');
    return size_;
  }

 private:
  bool is(std::size_t at, std::uint8_t cls) const {
    return (kClasses[static_cast<unsigned char>(word_[at])] & cls) != 0;
  }
  // Where the region begins that follows the first consonant behind a vowel, at or after `from`; or the word's end.
  std::size_t behind_vowel_and_consonant(std::size_t from) const {
    while (from < size_ && !is(from, kVowel)) ++from;
    while (from < size_ && is(from, kVowel)) ++from;
    return from < size_ ? from + 1 : size_;
  }
  bool ends_with(std::string_view suffix) const {
    return size_ >= suffix.size() && std::memcmp(word_ + size_ - suffix.size(), suffix.data(), suffix.size()) == 0;
  }
  bool has_vowel_before(std::size_t end) const {
    for (std::size_t i = 0; i < end; ++i)
      if (is(i, kVowel)) return true;
    return false;
  }
  // Whether word[0, end) ends with a short syllable: consonant, vowel, and a consonant other than w, x and Y.
  bool is_short_before(std::size_t end) const {
    return end >= 3 && !is(end - 1, kVowelOrWxy) && is(end - 2, kVowel) && !is(end - 3, kVowel);
  }
  const Rule* find(std::span<const Rule> rules, std::uint32_t last) const {
    if (size_ < 2) return nullptr;
    const auto letter = static_cast<std::uint8_t>(word_[size_ - 1] - 'a');
    if (letter > 25 || (last >> letter & 1) == 0) return nullptr;
    for (const Rule& rule : rules)
      if (rule.suffix.back() == word_[size_ - 1] && ends_with(rule.suffix)) return &rule;
    return nullptr;
  }
  void replace(const Rule& rule) {
    size_ -= rule.suffix.size();
    std::memcpy(word_ + size_, rule.replacement.data(), rule.replacement.size());
    size_ += rule.replacement.size();
  }

  void step_1a() {
    if (size_ == 0 || word_[size_ - 1] != 's') return;
    if (ends_with("sses") || ends_with("ies"))
      size_ -= 2;
    else if (!ends_with("ss"))
      size_ -= 1;
  }
  void step_1b() {
    if (ends_with("eed")) {
      if (r1_ <= size_ - 3) size_ -= 1;
      return;
    }
    const std::size_t bytes = ends_with("ing") ? 3 : ends_with("ed") ? 2 : 0;
    if (bytes == 0 || !has_vowel_before(size_ - bytes)) return;
    size_ -= bytes;
    const bool lacks_e = ends_with("at") || ends_with("bl") || ends_with("iz");
    if (!lacks_e && size_ >= 2 && word_[size_ - 1] == word_[size_ - 2] &&
        kDoubled.find(word_[size_ - 1]) != std::string_view::npos) {
      --size_;
    } else if (lacks_e || (size_ == r1_ && is_short_before(size_))) {
      word_[size_++] = 'e';
    }
  }
  void step_1c() {
    if (size_ == 0 || (word_[size_ - 1] | 0x20) != 'y' || !has_vowel_before(size_ - 1)) return;
    word_[size_ - 1] = 'i';
  }
  void step_4() {
    const Rule* const rule = find(kStep4, kLast4);
    if (rule == nullptr || r2_ > size_ - rule->suffix.size()) return;
    const std::size_t left = size_ - rule->suffix.size();
    if (rule->suffix == "ion" && (left == 0 || (word_[left - 1] != 's' && word_[left - 1] != 't'))) return;
    size_ = left;
  }
  void step_5() {
    if (size_ > 0 && word_[size_ - 1] == 'e') {
      const std::size_t left = size_ - 1;
      if (r2_ <= left || (r1_ <= left && !is_short_before(left))) size_ = left;
    }
    if (size_ >= 2 && word_[size_ - 1] == 'l' && r2_ <= size_ - 1 && word_[size_ - 2] == 'l') --size_;
  }

  char* const word_;
  std::size_t size_;
  bool has_consonant_y_ = false;
  std::size_t r1_, r2_;  // where Porter's regions of measures above 0 and 1 begin
};

}  // namespace

std::size_t porter_stem(char* word, std::size_t size) { return Word(word, size).stem(); }

}  // namespace frond::text
