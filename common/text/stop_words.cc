#include "common/text/stop_words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace frond::text {
namespace {

// Lucene's English stop words.
constexpr std::string_view kStopWords[] = {"a",    "an",   "as",   "at",    "be",    "by",   "if",   "in",   "is",
                                           "it",   "no",   "of",   "on",    "or",    "to",   "and",  "are",  "but",
                                           "for",  "not",  "the",  "was",   "into",  "such", "that", "then", "they",
                                           "this", "will", "with", "their", "there", "these"};
static_assert(std::size(kStopWords) == 33);

// For each first letter, the lengths of its stop words, which rules most words out.
constexpr std::array<std::uint8_t, 256> stop_word_lengths() {
  std::array<std::uint8_t, 256> lengths{};
  for (const std::string_view word : kStopWords) lengths[static_cast<unsigned char>(word[0])] |= 1u << word.size();
  return lengths;
}
constexpr std::array<std::uint8_t, 256> kStopWordLengths = stop_word_lengths();

}  // namespace

bool is_english_stop_word(std::string_view word) {
  if (word.empty() || word.size() > 5) return false;
  if (!(kStopWordLengths[static_cast<unsigned char>(word[0])] >> word.size() & 1)) return false;
  return std::ranges::find(kStopWords, word) != std::end(kStopWords);
}

}  // namespace frond::text
