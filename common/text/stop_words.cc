#include "common/text/stop_words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "common/text/stop_word_lists.h"
#include "common/text/token_span.h"
#include "common/text/utf8.h"

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

std::optional<StopWords> StopWords::named(std::string_view name) {
  const auto lists = stop_word_lists();
  const auto found = std::ranges::find(lists, name, &StopWordList::language);
  if (found == lists.end()) return std::nullopt;
  StopWords made;
  made.list_ = static_cast<std::uint8_t>(found - lists.begin());
  return made;
}

Result<StopWords> StopWords::own(std::vector<std::string> words) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  if (words.empty()) return Error(Code::kInvalid, "no stop words");
  if (words.size() > kMaxOwn) return Error(Code::kInvalid, "more than " + std::to_string(kMaxOwn) + " stop words");
  std::size_t bytes = 0;
  for (const std::string& word : words) {
    if (word.empty()) return Error(Code::kInvalid, "a stop word is empty");
    if (!is_utf8(word)) return Error(Code::kInvalid, "a stop word is no UTF-8: '" + repaired_utf8(word) + "'");
    if (word.size() > kMaxTokenBytes)
      return Error(Code::kInvalid, "a stop word has more than " + std::to_string(kMaxTokenBytes) + " bytes: '" +
                                       word.substr(0, utf8_boundary(word, 40)) + "...'");
    bytes += word.size();
  }
  if (bytes > kMaxOwnBytes)
    return Error(Code::kInvalid, "stop words have more than " + std::to_string(kMaxOwnBytes) + " bytes in all");
  StopWords made;
  made.list_ = kOwn;
  made.own_ = std::make_shared<const std::vector<std::string>>(std::move(words));
  return made;
}

std::string_view StopWords::name() const { return are_own() ? "own" : stop_word_lists()[list_].language; }

std::span<const std::string> StopWords::own_words() const {
  return own_ ? std::span<const std::string>(*own_) : std::span<const std::string>();
}

std::vector<std::string> StopWords::words() const {
  if (are_own()) return *own_;
  if (are_english()) return {std::begin(kStopWords), std::end(kStopWords)};
  std::vector<std::string> all;
  const std::string_view list = stop_word_lists()[list_].words;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    all.emplace_back(list.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

}  // namespace frond::text
