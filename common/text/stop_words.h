#pragma once
// Words that are too frequent to tell documents apart, and so are dropped from documents and queries alike: those of a
// language, or words of one's own.
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

// Lucene's 33 English stop words, in lower case.
bool is_english_stop_word(std::string_view word);

// Which words a collection drops. A value; copies share their words, which never change.
class StopWords {
 public:
  static constexpr std::size_t kMaxOwn = 1000, kMaxOwnBytes = 16 << 10;  // words, and bytes of all of them

  // English, or none: what there was before other languages.
  StopWords(bool english = true) : list_(english ? kEnglish : kNone) {}
  // nullopt: neither "none" nor a language of stop_word_lists.h.
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

}  // namespace frond::text
