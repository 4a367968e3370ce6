#include "tools/synth/text/word_frequencies.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "common/base/check.h"

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

WordFrequencies::WordFrequencies(double tail_exponent) : tail_exponent_(tail_exponent), outcomes_(kOutcomes) {
  FROND_CHECK(tail_exponent > 1);
  for (std::uint32_t word = 0; word < kHeadWords; ++word) outcomes_[word] = 1 / (word + 1 + kShift);
  // The integral of (x / edge)^-exponent / edge between the slice's ends; both laws agree at the edge.
  const double edge = kHeadWords + 1 + kShift, power = 1 - tail_exponent;
  const auto above = [&](double word) { return std::pow((word + 1 + kShift) / edge, power) / -power; };
  for (std::uint32_t slice = 0; slice < kSlices * kOctaves; ++slice)
    outcomes_[kHeadWords + slice] =
        above(static_cast<double>(first_of(slice))) - above(static_cast<double>(first_of(slice + 1)));
  const double sum = std::accumulate(outcomes_.begin(), outcomes_.end(), 0.0);
  for (double& outcome : outcomes_) outcome /= sum;
  make_columns();
}

WordFrequencies WordFrequencies::fitted(double tokens, double terms, double repeats) {
  double low = 1.05, high = 4;  // more terms at `low`
  for (int step = 0; step < 30; ++step) {
    const double middle = (low + high) / 2;
    (WordFrequencies(middle).expected_terms(tokens, repeats) > terms ? low : high) = middle;
  }
  return WordFrequencies((low + high) / 2);
}

void WordFrequencies::make_columns() {
  // Vose 1991: a column below the mean is filled up by one above it.
  std::vector<double> rest(kColumns, 0.0);
  for (std::uint32_t i = 0; i < kOutcomes; ++i) rest[i] = outcomes_[i] * kColumns;
  columns_.resize(kColumns);
  std::vector<std::uint32_t> small, large;
  for (std::uint32_t i = 0; i < kColumns; ++i) (rest[i] < 1 ? small : large).push_back(i);
  while (!small.empty() && !large.empty()) {
    const std::uint32_t less = small.back(), more = large.back();
    small.pop_back();
    columns_[less] = {static_cast<std::uint32_t>(rest[less] * 0x1p32), more};
    rest[more] -= 1 - rest[less];
    if (rest[more] < 1) {
      large.pop_back();
      small.push_back(more);
    }
  }
  // What is left is 1 but for rounding. Columns without an outcome of their own were filled first.
  for (const auto& left : {small, large})
    for (const std::uint32_t i : left) columns_[i] = {0, std::min(i, kOutcomes - 1)};
}

double WordFrequencies::probability_from(std::uint32_t word) const {
  return std::accumulate(outcomes_.begin() + std::min(word, kHeadWords), outcomes_.end(), 0.0);
}

double WordFrequencies::stop_share() const {
  double share = 0;
  for (std::uint32_t word = 0; word < kFunctionWords; ++word)
    if (is_stop_word(word)) share += outcomes_[word];
  return share;
}

double WordFrequencies::expected_terms(double tokens, double repeats) const {
  const double drawn = tokens / (1 - stop_share()) * (1 - repeats);
  double terms = 0;
  for (std::uint32_t word = 0; word < kHeadWords; ++word)
    if (!is_stop_word(word)) terms -= std::expm1(-drawn * outcomes_[word]);
  for (std::uint32_t slice = 0; slice < kSlices * kOctaves; ++slice) {
    const auto width = static_cast<double>(first_of(slice + 1) - first_of(slice));
    terms -= width * std::expm1(-drawn * outcomes_[kHeadWords + slice] / width);
  }
  return terms;
}

}  // namespace frond::tools::synth
