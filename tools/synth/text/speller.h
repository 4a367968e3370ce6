#pragma once
// The spelling of each word of made-up text. Words are numbered by frequency, from 0
// (word_frequencies.h). Different words have different spellings.
//
// The first words are English function words in order of frequency. The others are made of syllables, a consonant or
// two and a vowel or two each, with an ending: one syllable for the 256 most frequent, two for the next 65,536, three
// for the next 16.8 million, and so on. A share are decimal numbers, names that begin with a capital, upper-case words,
// and words outside ASCII: accented Latin and Cyrillic.
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "tools/synth/text/word_frequencies.h"

namespace frond::tools::synth {

struct SpellingShares {
  double numbers = 0.04;     // of all occurrences of words, 0 to 0.3
  double non_ascii = 0.005;  // the same, 0 to 0.2
};

// Copies the text to `to`; returns its end.
inline char* append(std::string_view text, char* to) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

// Immutable: any thread.
class Speller {
 public:
  static constexpr std::size_t kMaxWordBytes = 72;  // also readable and writable behind every destination

  Speller(const WordFrequencies& frequencies, const SpellingShares& shares, std::uint64_t seed);

  // Writes the word and returns its end. May also change the kMaxWordBytes behind `to`.
  char* put(std::uint64_t word, char* to) const {
    if (word >= WordFrequencies::kHeadWords) return spell(word, to);
    const Known& known = known_[word];
    std::memcpy(to, known.text.data(), known.text.size());
    return to + known.bytes;
  }
  // Lower-case ASCII letters, for host names and paths.
  char* put_plain(std::uint64_t word, char* to) const;

 private:
  struct Known {
    std::array<char, 31> text;
    std::uint8_t bytes;
  };
  struct Piece {
    std::array<char, 8> text{};
    std::uint8_t bytes = 0;
  };
  enum class Script { kLatin, kAccented, kCyrillic };
  enum Ending { kOfOthers, kOfBare, kOfOneSyllable, kOfCyrillic, kEndingKinds };  // kOfBare: behind "e" and "y"

  char* spell(std::uint64_t word, char* to) const;
  char* put_syllables(std::uint64_t number, std::uint64_t hash, Script script, char* to) const;

  std::uint64_t seed_;
  std::uint32_t number_below_, foreign_below_;       // of 16 bits of a word's hash
  std::array<std::array<Piece, 256>, 3> syllables_;  // of each script
  std::array<std::array<Piece, 16>, kEndingKinds> endings_;
  std::vector<Known> known_;  // the head's words
};

}  // namespace frond::tools::synth
