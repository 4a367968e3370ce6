#pragma once
// The lines of a text, as people and programs write them: a byte order mark (of UTF-8) at its beginning is no part of
// the first one, and a carriage return at its end no part of any.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace frond {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

constexpr std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}
constexpr std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(without_mark(text)) {}
  // Without its end; nullopt: there is none left. What follows the last line feed is a line unless it is empty.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return without_return(line);
  }
  std::size_t number() const { return number_; }  // of the last one, from 1

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

}  // namespace frond
