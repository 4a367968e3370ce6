#pragma once
// One spelling for what readers take for the same word: Unicode's NFKC with case folding (UAX #15, the form
// NFKC_Casefold), and some of our own rules. Used by the analyzers standard2 and standard3.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frond::text {

// One thread; keeps its memory.
class NormalForm {
 public:
  // fold_dotless: of standard3, i without a dot is i.
  explicit NormalForm(bool fold_accents, bool fold_dotless = false)
      : fold_accents_(fold_accents), fold_dotless_(fold_dotless), points_(64) {}
  // Replaces `out` by the normal form of `token`, cut between code points to at most kMaxTokenBytes:
  //   - NFKC and case folding; characters that are not seen (soft hyphens, joiners, variation selectors) are dropped;
  //   - all apostrophes are ';
  //   - i with a dot above (the small form of Turkish I with a dot) is i;
  //   - spaces, which a few Arabic ligatures have inside, are dropped;
  //   - with fold_accents, Latin and Greek letters lose their accents, letters with strokes theirs, and ae, oe, ss, th
  //     stand for the letters that these replace; Cyrillic yo is ye. Other scripts keep their marks.
  // Bytes that are not UTF-8 are dropped. `out` may become empty.
  void apply(std::string_view token, std::string& out);

 private:
  void fold_marks();

  bool fold_accents_, fold_dotless_;
  std::vector<std::int32_t> points_;  // decomposed
  std::string valid_;                 // scratch
};

// Characters that are not ASCII, of which the normal form is their small letter, with fold_accents or without: most
// Cyrillic letters, kana, ideographs and syllables of Hangul. A token that has only these and ASCII is in normal form
// once each letter is small.
constexpr bool has_plain_form(char32_t c) {
  const auto lies_in = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  if (c < 0x3041) return lies_in(0x402, 0x44f) || lies_in(0x452, 0x45f);
  return lies_in(0x4e00, 0x9fff) || lies_in(0xac00, 0xd7a3) || lies_in(0x3041, 0x3096) || lies_in(0x30a1, 0x30fa) ||
         lies_in(0x30fc, 0x30fe) || lies_in(0x3400, 0x4dbf);
}

// What the analyzers standard2 and standard3 do with apostrophes and with digits in groups. Words are in normal form
// (normal_form.h): small letters, every apostrophe is '.

// The bytes of an article or pronoun that French, Italian or Catalan elide before a vowel, with its apostrophe: 2 of
// "l'école", 3 of "qu'il". 0: there is none ("o'brien", "don't", "d'souza").
std::size_t elided_bytes(std::string_view word);

// The word without what is elided before it, and without a final 's: "école", "parkinson", "don't". O' is joined to the
// name: "obrien". May change `word`, which the result borrows.
std::string_view without_apostrophes(std::string& word);

// Whether what is behind an apostrophe is an ending or a word of its own ("İstanbul'da", "rock'n"), so that the word
// before is one, too: no article, O' or a letter or two, and no English contraction ("don't"). In any case of letters.
bool has_ending(std::string_view before, std::string_view behind);

// The number without the commas between its groups of three digits: "3,000,000" is "3000000". Others stay: "1,2".
std::string_view without_thousands_commas(std::string& number);

}  // namespace frond::text
