#pragma once
// Patterns and phrases by trying everything.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace frond::support {

inline bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }
inline std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

// `*` stands for any characters, `?` for one, and `\` makes the next byte text.
inline bool like(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  std::size_t first = 1;  // bytes of the first character
  while (first < text.size() && !begins_character(text[first])) ++first;
  if (pattern[0] == '*') return like(text, pattern.substr(1)) || (!text.empty() && like(text.substr(first), pattern));
  if (text.empty()) return false;
  if (pattern[0] == '?') return like(text.substr(first), pattern.substr(1));
  const std::size_t escaped = pattern[0] == '\\' && pattern.size() > 1 ? 1 : 0;
  return pattern[escaped] == text[0] && like(text.substr(1), pattern.substr(escaped + 1));
}

struct PhraseWord {
  std::size_t number = 0;  // in the phrase; gaps count, too
  std::string term;
  bool begins = false;  // it is the beginning of one
};

// How many places of the first word there are for which the others have places of their own, such that place − number
// of all words differ by at most `slop`.
inline std::uint32_t phrases_in(const std::vector<std::string>& places, const std::vector<PhraseWord>& words,
                                std::uint32_t slop) {
  std::vector<std::size_t> taken;
  const std::function<bool(long, long)> others = [&](long low, long high) {
    if (high - low > static_cast<long>(slop)) return false;
    if (taken.size() == words.size()) return true;
    const PhraseWord& word = words[taken.size()];
    for (std::size_t place = 0; place < places.size(); ++place) {
      if (word.begins ? !places[place].starts_with(word.term) : places[place] != word.term) continue;
      if (std::ranges::find(taken, place) != taken.end()) continue;
      const long offset = static_cast<long>(place) - static_cast<long>(word.number);
      taken.push_back(place);
      const bool fits = others(std::min(low, offset), std::max(high, offset));
      taken.pop_back();
      if (fits) return true;
    }
    return false;
  };
  std::uint32_t count = 0;
  for (std::size_t place = 0; place < places.size(); ++place) {
    if (places[place] != words.front().term) continue;
    taken.assign(1, place);
    const long offset = static_cast<long>(place) - static_cast<long>(words.front().number);
    count += others(offset, offset) ? 1 : 0;
  }
  return count;
}

}  // namespace frond::support
