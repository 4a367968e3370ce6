#pragma once
// Small things that are read from text, checked of it, and written to it. Any thread.
#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/base/bytes.h"

namespace frond {

// The number that all of `text` is, in decimal without a plus sign; nothing for anything else, and for a number that T
// does not hold.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T number{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Without white space at its ends.
constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

// The letters of ASCII as small ones; other bytes stay.
std::string lower_case(std::string_view text);
// What stands between blanks and tabs.
std::vector<std::string_view> words_in(std::string_view text);
// Two hexadecimal digits for each byte, with small letters.
std::string hex_text(ByteView bytes);
// Letters and digits of ASCII and the characters of `plain` stay; of other bytes %XX.
std::string percent_encoded(std::string_view text, std::string_view plain = "-._~");
// The time in UTC, in strftime()'s form, of at most 63 bytes.
std::string utc_text(const char* form, std::chrono::system_clock::time_point time = std::chrono::system_clock::now());
inline constexpr const char* kUtcSeconds = "%Y-%m-%dT%H:%M:%SZ";     // RFC 3339
inline constexpr const char* kCompactUtcSeconds = "%Y%m%dT%H%M%SZ";  // the same without signs

// [A-Za-z0-9._-]+, at most 128 bytes, not beginning with a dot: as a file's name it stays in its folder.
constexpr bool is_safe_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !name.empty() && name.size() <= 128 && name.front() != '.' && name.find_first_not_of(kAllowed) == name.npos;
}
// Safe names joined by single slashes: can't lead out of a folder.
constexpr bool is_safe_path(std::string_view path) {
  for (;;) {
    const auto slash = path.find('/');
    if (!is_safe_name(path.substr(0, slash))) return false;
    if (slash == path.npos) return true;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace frond
