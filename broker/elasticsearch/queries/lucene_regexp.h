#pragma once
// Lucene's regular expressions over whole words: . ? + * {n,m} | ( ) [a-z] [^a] "text" @ # and \ before a sign.
// Immutable; any thread.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/elasticsearch/error.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxRegexpBytes = 1000;
inline constexpr std::size_t kMaxRegexpStates = 2000;
inline constexpr std::size_t kMaxPatternSteps =
    60'000'000;  // of a search: bytes of values, times their pattern's states
inline constexpr std::size_t kMaxRegexpNesting = 100;

class LuceneRegexp {
 public:
  // 400: it is none, or a longer one; 501: ~ & < >, by name.
  static Expected<LuceneRegexp> parse(std::string_view text, bool case_insensitive = false);

  // Whether the whole word is one of the language. Time: at most the word's length times states().
  bool matches(std::string_view word) const;
  std::size_t states() const { return states_.size(); }

 private:
  friend class RegexpParser;
  using Ranges = std::vector<std::pair<char32_t, char32_t>>;
  struct State {
    Ranges ranges = {};  // of the code point that leads to `next`; empty: it is free
    bool negated = false;
    std::uint32_t next = 0, other = 0;  // both may be gone to for free
  };
  void add(std::uint32_t state, std::vector<std::uint32_t>& to, std::vector<bool>& seen) const;

  std::vector<State> states_;
  std::uint32_t first_ = 0, last_ = 0;
};

std::vector<char32_t> code_points(std::string_view text);
// The language of one word, and that of a pattern with * and ? (and \ before a sign).
std::string escaped_regexp(std::string_view word);
std::string wildcard_regexp(std::string_view pattern);

}  // namespace frond::broker::elasticsearch
