#include "tools/synth/text/speller.h"

#include <algorithm>
#include <charconv>

#include "tools/synth/random.h"
#include "tools/synth/text/word_frequencies.h"

namespace frond::tools::synth {
namespace {

// A syllable is an onset and a nucleus. Vowels and consonants alternate in runs, each run is one entry of a table, and
// no ending reads like a syllable: so different syllables or endings are different words.
constexpr std::array<std::string_view, 32> kOnsets = {"b",  "c",  "d",  "f",  "g",  "h",  "j",  "k",  "l",  "m",  "n",
                                                      "p",  "q",  "r",  "s",  "t",  "v",  "w",  "x",  "z",  "br", "ch",
                                                      "cl", "dr", "gr", "pl", "pr", "sh", "sp", "st", "th", "tr"};
constexpr std::array<std::string_view, 8> kNuclei = {"a", "e", "i", "o", "u", "y", "ea", "ou"};
constexpr std::array<std::string_view, 8> kAccentedNuclei = {"á", "é", "í", "ó", "ú", "ä", "ö", "ü"};
constexpr std::array<std::string_view, 4> kShortEndings = {"p", "ck", "b", "g"};  // of one syllable
constexpr std::array<std::string_view, 16> kEndings = {"",  "",  "",  "n", "r",  "s",  "s",   "s",
                                                       "t", "t", "l", "m", "st", "nd", "ted", "ting"};
constexpr std::array<std::string_view, 32> kCyrillicOnsets = {
    "б", "в", "г", "д", "ж",  "з",  "к",  "л",  "м",  "н",  "п",  "р",  "с",  "т",  "ф",  "х",
    "ц", "ч", "ш", "щ", "бр", "вл", "гр", "др", "зд", "кл", "кр", "пр", "св", "сл", "ст", "тр"};
constexpr std::array<std::string_view, 8> kCyrillicNuclei = {"а", "е", "и", "о", "у", "ы", "ю", "я"};
constexpr std::array<std::string_view, 4> kCyrillicEndings = {"", "й", "м", "х"};
constexpr std::uint32_t kFirstForeign = 1024;  // more frequent words are ASCII

// A permutation of the numbers of `bits` bits, so that words of similar frequency do not look alike.
std::uint64_t shuffled(std::uint64_t number, unsigned bits) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (const std::uint64_t factor : {0x9e3779b97f4a7c15u, 0xd1b54a32d192ed03u}) {
    number = number * factor & mask;
    number ^= number >> (bits / 2);
  }
  return number;
}

}  // namespace

Speller::Speller(const WordFrequencies& frequencies, const SpellingShares& shares, std::uint64_t seed) : seed_(seed) {
  const double number = shares.numbers / frequencies.probability_from(kFunctionWords),
               foreign = shares.non_ascii / frequencies.probability_from(kFirstForeign) / (1 - number);
  number_below_ = static_cast<std::uint32_t>(number * 0x1p16);
  foreign_below_ = static_cast<std::uint32_t>(foreign * 0x1p16);
  for (std::size_t i = 0; i < 256; ++i) {
    const auto fill = [](Piece& piece, std::string_view onset, std::string_view nucleus) {
      piece.bytes = static_cast<std::uint8_t>(append(nucleus, append(onset, piece.text.data())) - piece.text.data());
    };
    fill(syllables_[0][i], kOnsets[i / 8], kNuclei[i % 8]);
    fill(syllables_[1][i], kOnsets[i / 8], kAccentedNuclei[i % 8]);
    fill(syllables_[2][i], kCyrillicOnsets[i / 8], kCyrillicNuclei[i % 8]);
  }
  for (std::size_t i = 0; i < 16; ++i) {
    const auto fill = [](Piece& piece, std::string_view ending) {
      piece.bytes = static_cast<std::uint8_t>(append(ending, piece.text.data()) - piece.text.data());
    };
    fill(endings_[kOfOthers][i], kEndings[i]);
    fill(endings_[kOfBare][i], kEndings[i].empty() ? "n" : kEndings[i]);
    fill(endings_[kOfOneSyllable][i], kShortEndings[i % kShortEndings.size()]);
    fill(endings_[kOfCyrillic][i], kCyrillicEndings[i % kCyrillicEndings.size()]);
  }
  known_.resize(WordFrequencies::kHeadWords);
  std::array<char, 2 * kMaxWordBytes> buffer;
  for (std::uint32_t word = 0; word < known_.size(); ++word) {
    Known& known = known_[word];
    const char* end = spell(word, buffer.data());
    known.bytes = static_cast<std::uint8_t>(end - buffer.data());
    std::copy(buffer.data(), buffer.data() + known.text.size(), known.text.begin());
  }
}

char* Speller::put_syllables(std::uint64_t number, std::uint64_t hash, Script script, char* to) const {
  unsigned bits = 8;
  for (; number >> bits != 0 && bits < 56; bits += 8) number -= std::uint64_t{1} << bits;
  number = shuffled(number, bits);
  // Accented words have the accent on their first syllable.
  const Piece* piece = &syllables_[static_cast<std::size_t>(script)][number & 255];
  const auto& others = syllables_[script == Script::kCyrillic ? 2 : 0];
  for (unsigned done = 8;; done += 8) {
    std::memcpy(to, piece->text.data(), 8);
    to += piece->bytes;
    if (done == bits) break;
    piece = &others[number >> done & 255];
  }
  // No word ends in "e" or "y", and no function word ends like words of one syllable: so none is a function word.
  const bool bare = script != Script::kCyrillic && (to[-1] == 'e' || to[-1] == 'y');
  const auto kind = script == Script::kCyrillic ? kOfCyrillic : bits == 8 ? kOfOneSyllable : bare ? kOfBare : kOfOthers;
  const Piece& ending = endings_[kind][hash % 16];
  std::memcpy(to, ending.text.data(), ending.text.size());
  return to + ending.bytes;
}

char* Speller::put_plain(std::uint64_t word, char* to) const {
  return put_syllables(word, mixed(word + seed_), Script::kLatin, to);
}

char* Speller::spell(std::uint64_t word, char* to) const {
  if (word < kFunctionWords) return append(function_word(static_cast<std::uint32_t>(word)), to);
  const std::uint64_t number = word - kFunctionWords, hash = mixed(mixed(word) + seed_);
  if ((hash & 0xffff) < number_below_) return std::to_chars(to, to + kMaxWordBytes, number).ptr;
  const bool foreign = word >= kFirstForeign && (hash >> 16 & 0xffff) < foreign_below_;
  const Script script = !foreign ? Script::kLatin : hash >> 60 < 12 ? Script::kAccented : Script::kCyrillic;
  char* const end = put_syllables(number, hash >> 32, script, to);
  if (foreign) return end;
  const auto kind = hash >> 48 & 127;
  if (kind < 10) *to -= 'a' - 'A';  // a name
  if (kind == 10) std::transform(to, end, to, [](char letter) { return static_cast<char>(letter - ('a' - 'A')); });
  return end;
}

}  // namespace frond::tools::synth
