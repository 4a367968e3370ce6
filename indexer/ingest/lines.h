#pragma once
// Text cut into lines and words' surroundings, as several formats need it. Views of the text that they are given.
#include <string_view>

namespace frond::indexer::ingest {

inline constexpr std::string_view kSpaces = " \t\r\n\f\v";

// Without the spaces at both ends.
inline std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

// A letter of ASCII in lower case; everything else as it is.
inline char small_letter(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); }

// Takes the first line off `text`; without its end, "\n" or "\r\n".
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace frond::indexer::ingest
