#pragma once
// How often each word of made-up text occurs. Words are numbered by frequency, from 0. There is no last word: a text
// of any length keeps meeting new ones.
//
// Two power laws, as counts of large corpora show them (Ferrer i Cancho and Solé 2001; Gerlach and Altmann 2013, from
// whom the 8,192 is rounded). Up to word kHeadWords the frequency is that of Zipf and Mandelbrot with exponent 1;
// beyond, it falls with `tail_exponent`. Then the vocabulary of n words grows with n to the power 1 / tail_exponent
// (Heaps' law). The exponent is fitted to a collection's counts of tokens and terms.
//
// The tail is drawn by slices: 16 slices of equal width for each doubling of the number, and all words of a slice are
// equally probable. So a draw needs no logarithm, only a table of 128 KiB (Walker's alias method).
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace frond::tools::synth {

// The most frequent words of made-up text: English function words, by frequency.
inline constexpr std::uint32_t kFunctionWords = 96;

extern const std::array<std::uint8_t, kFunctionWords> kIsStopWord;  // 0 or 1
std::string_view function_word(std::uint32_t number);               // below kFunctionWords
// Whether the word is one of Lucene's 33 English stop words, which the analyzer drops. All of them are function words.
inline bool is_stop_word(std::uint64_t number) {
  return kIsStopWord[number < kFunctionWords ? number : kFunctionWords - 1] != 0;
}

// Immutable: any thread.
class WordFrequencies {
 public:
  static constexpr std::uint32_t kHeadWords = 1u << 13;
  static constexpr std::uint64_t kWords = std::uint64_t{1} << 53;  // the tail is cut here: 1 word in 10 million

  explicit WordFrequencies(double tail_exponent);  // above 1
  // With the exponent that gives about `terms` different words in `tokens` words that are not stop words. Of these, a
  // share of `repeats` are earlier words of their document, so they are never new.
  static WordFrequencies fitted(double tokens, double terms, double repeats);

  // `a` and `b` are random. Bits 14 to 31 of `a` are not used.
  std::uint64_t word_of(std::uint64_t a, std::uint64_t b) const {
    const auto own = static_cast<std::uint32_t>(a & (kColumns - 1));
    const Column column = columns_[own];
    // Without a branch, which would be mispredicted often.
    const auto is_own = static_cast<std::uint32_t>(-static_cast<std::int32_t>((a >> 32) < column.threshold));
    const std::uint32_t outcome = (own & is_own) | (column.alias & ~is_own);
    if (outcome < kHeadWords) return outcome;
    const std::uint32_t slice = outcome - kHeadWords;
    return first_of(slice) + (b >> (64 - kHeadBits + kSliceBits - slice / kSlices));
  }

  double tail_exponent() const { return tail_exponent_; }
  // Probability of a word of the head.
  double head_probability(std::uint32_t word) const { return outcomes_[word]; }
  // Probability that a word's number is at least this. Exact up to kHeadWords.
  double probability_from(std::uint32_t word) const;
  // Share of stop words, those that the analyzer drops.
  double stop_share() const;
  // Expected number of different words, stop words not counted, in so many words that are not stop words.
  double expected_terms(double tokens, double repeats) const;

 private:
  static constexpr std::uint32_t kHeadBits = 13, kSliceBits = 4, kSlices = 1u << kSliceBits, kOctaves = 40,
                                 kOutcomes = kHeadWords + kSlices * kOctaves, kColumns = 1u << 14;
  static constexpr double kShift = 0.7;  // Mandelbrot's; then "the" is 5 % of a text and Lucene's stop words 30 %
  struct Column {
    std::uint32_t threshold;  // below it (32 random bits): the column's own outcome; else the other
    std::uint32_t alias;
  };

  static std::uint64_t first_of(std::uint32_t slice) {
    const std::uint32_t octave = slice / kSlices;  // at most kOctaves, which clang-tidy cannot see
    return std::uint64_t{kSlices + slice % kSlices} << (kHeadBits - kSliceBits + octave) % 64;
  }
  void make_columns();

  double tail_exponent_;
  std::vector<double> outcomes_;  // probability of each word of the head, then of each slice
  std::vector<Column> columns_;
};

}  // namespace frond::tools::synth
