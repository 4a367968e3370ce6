#pragma once
// Lines and white space, for several formats. Results are views of the arguments.
#include <algorithm>
#include <string_view>

namespace frond::indexer::ingest {

inline constexpr std::string_view kSpaces = " \t\r\n\f\v";

// Without the spaces at both ends.
inline std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

// Without the spaces at the front.
inline std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  return text.substr(begin == text.npos ? text.size() : begin);
}

// ASCII letters in lower case; other characters unchanged.
inline char small_letter(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); }

// Whether two names are equal but for the case of ASCII letters.
inline bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, small_letter, small_letter);
}

// Where `small`, which has small letters, is in `text`, in any case; npos: it is not there.
inline std::size_t find_in_any_case(std::string_view text, std::string_view small) {
  const auto found = std::search(text.begin(), text.end(), small.begin(), small.end(),
                                 [](char a, char b) { return small_letter(a) == b; });
  return found == text.end() ? text.npos : static_cast<std::size_t>(found - text.begin());
}

// The first line without "\n".
inline std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

// Removes the first line from `text` and gives it without its end, "\n" or "\r\n".
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace frond::indexer::ingest
