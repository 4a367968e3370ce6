#include "tools/synth/text/function_words.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace frond::tools::synth {
namespace {

constexpr std::array<std::string_view, kFunctionWords> kWords = {
    "the",   "of",     "and",   "to",    "in",    "a",     "is",   "that",  "for",   "it",      "was",  "on",
    "are",   "as",     "with",  "be",    "at",    "this",  "from", "by",    "or",    "have",    "not",  "you",
    "an",    "they",   "he",    "his",   "but",   "we",    "all",  "one",   "can",   "will",    "has",  "had",
    "were",  "their",  "there", "which", "if",    "more",  "when", "what",  "about", "who",     "so",   "said",
    "out",   "up",     "no",    "other", "its",   "her",   "she",  "would", "them",  "some",    "time", "do",
    "these", "my",     "into",  "than",  "then",  "him",   "only", "could", "new",   "two",     "may",  "first",
    "any",   "people", "such",  "like",  "over",  "after", "most", "also",  "made",  "your",    "how",  "our",
    "me",    "now",    "i",     "been",  "where", "very",  "well", "many",  "much",  "because", "just", "should"};
constexpr std::array<std::string_view, 33> kStopWords = {
    "a",   "an",    "and",  "are",   "as",    "at",   "be",   "but", "by",  "for",  "if",
    "in",  "into",  "is",   "it",    "no",    "not",  "of",   "on",  "or",  "such", "that",
    "the", "their", "then", "there", "these", "they", "this", "to",  "was", "will", "with"};

constexpr std::array<std::uint8_t, kFunctionWords> stop_marks() {
  std::array<std::uint8_t, kFunctionWords> marks{};
  for (std::size_t i = 0; i < kWords.size(); ++i)
    marks[i] = std::find(kStopWords.begin(), kStopWords.end(), kWords[i]) != kStopWords.end();
  return marks;
}

}  // namespace

constexpr std::array<std::uint8_t, kFunctionWords> kIsStopWord = stop_marks();
static_assert(std::count(kIsStopWord.begin(), kIsStopWord.end(), 1) == std::ssize(kStopWords));
static_assert(kIsStopWord.back() == 0, "is_stop_word() takes it for all words behind");

std::string_view function_word(std::uint32_t number) { return kWords[number]; }

}  // namespace frond::tools::synth
