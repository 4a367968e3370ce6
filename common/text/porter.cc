#include "common/text/porter.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

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

// A suffix of at most seven letters, as it stands in a Word's tail.
struct Suffix {
  consteval Suffix(std::string_view of) : Suffix(of, {}) {}
  constexpr Suffix(std::string_view of, std::string_view instead)
      : size(of.size()), others(8 * (8 - static_cast<unsigned>(of.size()))), replacement(instead) {
    for (std::size_t i = 0; i < size; ++i)
      letters |= std::uint64_t{static_cast<unsigned char>(of[i])} << (others + 8 * static_cast<unsigned>(i));
  }
  constexpr Suffix() = default;
  bool ends(std::uint64_t tail) const { return (tail ^ letters) >> others == 0; }
  std::uint64_t letters = 0;
  std::size_t size = 0;
  unsigned others = 0;  // bits of a tail before the suffix
  std::string_view replacement;
};

// A step's suffixes by their last letters, those of one letter in the step's order.
template <std::size_t kRules>
struct SuffixesOf {
  constexpr explicit SuffixesOf(const Rule (&rules)[kRules]) {
    std::uint8_t next = 0;
    for (std::size_t letter = 0; letter < 26; ++letter) {
      begins[letter] = next;
      for (const Rule& rule : rules)
        if (rule.suffix.back() == static_cast<char>('a' + letter)) suffixes[next++] = {rule.suffix, rule.replacement};
    }
    begins[26] = next;
  }
  std::array<Suffix, kRules> suffixes;
  std::array<std::uint8_t, 27> begins{};
};
constexpr SuffixesOf kSuffixes2(kStep2);
constexpr SuffixesOf kSuffixes3(kStep3);
constexpr SuffixesOf kSuffixes4(kStep4);

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
    replace(find(kSuffixes2));
    replace(find(kSuffixes3));
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
  // The last eight letters, the last one in the highest bits; zeros before the word.
  std::uint64_t tail() const {
    std::uint64_t last = 0;
    if (size_ >= sizeof last) {
      std::memcpy(&last, word_ + size_ - sizeof last, sizeof last);
      return last;
    }
    for (std::size_t i = 0; i < size_; ++i)
      last = last >> 8 | std::uint64_t{static_cast<unsigned char>(word_[i])} << 56;
    return last;
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
  template <std::size_t kRules>
  const Suffix* find(const SuffixesOf<kRules>& step) const {
    if (size_ < 2) return nullptr;
    const auto letter = static_cast<std::uint8_t>(word_[size_ - 1] - 'a');
    if (letter > 25 || step.begins[letter] == step.begins[letter + 1u]) return nullptr;
    const std::uint64_t last = tail();
    for (std::size_t i = step.begins[letter]; i < step.begins[letter + 1u]; ++i)
      if (step.suffixes[i].ends(last)) return &step.suffixes[i];
    return nullptr;
  }
  void replace(const Suffix* suffix) {
    if (suffix == nullptr || r1_ > size_ - suffix->size) return;
    size_ -= suffix->size;
    std::memcpy(word_ + size_, suffix->replacement.data(), suffix->replacement.size());
    size_ += suffix->replacement.size();
  }

  void step_1a() {
    if (size_ == 0 || word_[size_ - 1] != 's') return;
    const std::uint64_t last = tail();
    if (Suffix("sses").ends(last) || Suffix("ies").ends(last))
      size_ -= 2;
    else if (!Suffix("ss").ends(last))
      size_ -= 1;
  }
  void step_1b() {
    const std::uint64_t last = tail();
    if (Suffix("eed").ends(last)) {
      if (r1_ <= size_ - 3) size_ -= 1;
      return;
    }
    const std::size_t bytes = Suffix("ing").ends(last) ? 3 : Suffix("ed").ends(last) ? 2 : 0;
    if (bytes == 0 || !has_vowel_before(size_ - bytes)) return;
    size_ -= bytes;
    const std::uint64_t left = tail();
    const bool lacks_e = Suffix("at").ends(left) || Suffix("bl").ends(left) || Suffix("iz").ends(left);
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
    const Suffix* const suffix = find(kSuffixes4);
    if (suffix == nullptr || r2_ > size_ - suffix->size) return;
    const std::size_t left = size_ - suffix->size;
    if (suffix->letters == Suffix("ion").letters && (left == 0 || (word_[left - 1] != 's' && word_[left - 1] != 't')))
      return;
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
