#pragma once
// Words that are too frequent to tell documents apart, and so are dropped from documents and queries alike: those of a
// language, or words of one's own.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace frond::text {

// Which words a collection drops. A value; copies share their words, which never change.
class StopWords {
 public:
  static constexpr std::size_t kMaxOwn = 1000, kMaxOwnBytes = 16 << 10;  // words, and bytes of all of them

  // English, or none: what there was before other languages.
  StopWords(bool english = true) : list_(english ? kEnglish : kNone) {}
  // nullopt: neither "none" nor a language of stop_word_lists().
  static std::optional<StopWords> named(std::string_view name);
  // kInvalid, naming the word: no word or too many, or one that is empty, no UTF-8 or longer than tokens are.
  static Result<StopWords> own(std::vector<std::string> words);

  // "none", a language, or "own".
  std::string_view name() const;
  bool are_none() const { return list_ == kNone; }
  bool are_english() const { return list_ == kEnglish; }
  bool are_own() const { return own_ != nullptr; }
  // In byte order, each once; empty unless they are own words.
  std::span<const std::string> own_words() const;
  // All of them, as the list has them: not yet as an analyzer would write them.
  std::vector<std::string> words() const;

  friend bool operator==(const StopWords& a, const StopWords& b) {
    return a.list_ == b.list_ && (a.own_ == b.own_ || (a.own_ && b.own_ && *a.own_ == *b.own_));
  }

 private:
  static constexpr std::uint8_t kNone = 0, kEnglish = 1, kOwn = 0xff;  // others: places in the table of lists

  std::uint8_t list_;
  std::shared_ptr<const std::vector<std::string>> own_;
};

// Function words of some languages: articles, prepositions, conjunctions, pronouns, and forms of the verbs for to be
// and to have. Words that are also common nouns were left out, since queries ask for those (French est, été; German
// Alter).
struct StopWordList {
  std::string_view language;  // as its stemmer is named, if there is one
  std::string_view words;     // separated by single spaces, in small letters
};

// The first two are no list and English.
std::span<const StopWordList> stop_word_lists();

// The stop words of an analyzer, in the form in which it compares them: in its letter case, before stemming. Immutable.
class StopWordSet {
 public:
  StopWordSet() = default;
  explicit StopWordSet(std::vector<std::string> words) : words_(std::move(words)) {
    std::ranges::sort(words_);
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    for (const std::string& word : words_) lengths_[static_cast<unsigned char>(word[0])] |= bit_of(word.size());
  }
  bool contains(std::string_view word) const {
    if (word.empty() || (lengths_[static_cast<unsigned char>(word[0])] & bit_of(word.size())) == 0) return false;
    return std::ranges::binary_search(words_, word);  // most words do not come here
  }

 private:
  static constexpr std::uint32_t bit_of(std::size_t bytes) { return 1u << std::min<std::size_t>(bytes, 31); }

  std::vector<std::string> words_;
  std::array<std::uint32_t, 256> lengths_{};  // by first byte, the lengths of its words
};

}  // namespace frond::text
