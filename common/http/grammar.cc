#include "common/http/grammar.h"

#include <algorithm>
#include <limits>

namespace frond::http::grammar {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 32);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool is_name_char(char c) {  // reg-name of RFC 3986: unreserved, sub-delims and the sign of an escape
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("-._~%!$&'()*+,;=").find(c) != std::string_view::npos;
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}
bool skip_token(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && token_char(text[length]) != 0) ++length;
  text.remove_prefix(length);
  return length > 0;
}
bool skip_quoted(std::string_view& text) {  // after the opening quote
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '"') return true;
    if (c != '\\') continue;
    if (text.empty()) return false;
    text.remove_prefix(1);
  }
  return false;
}

// *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )
bool are_chunk_extensions(std::string_view text) {
  if (!is_text(text)) return false;
  while (!text.empty()) {
    skip_blanks(text);
    if (text.empty() || text.front() != ';') return false;
    text.remove_prefix(1);
    skip_blanks(text);
    if (!skip_token(text)) return false;
    auto after = text;
    skip_blanks(after);
    if (after.empty() || after.front() != '=') continue;
    after.remove_prefix(1);
    skip_blanks(after);
    const bool quoted = !after.empty() && after.front() == '"';
    if (quoted) after.remove_prefix(1);
    if (!(quoted ? skip_quoted(after) : skip_token(after))) return false;
    text = after;
  }
  return true;
}

}  // namespace

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return token_char(c) != 0; });
}

// Without a branch in the loop, so that the compiler takes many characters at a time.
bool is_text(std::string_view text) {
  unsigned bad = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    bad |= (static_cast<unsigned>(byte < 0x20) & static_cast<unsigned>(byte != '\t')) |
           static_cast<unsigned>(byte == 0x7f);
  }
  return bad == 0;
}
bool is_target(std::string_view text) {
  unsigned bad = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    bad |=
        static_cast<unsigned>(byte <= 0x20) | static_cast<unsigned>(byte == 0x7f) | static_cast<unsigned>(byte == '#');
  }
  return bad == 0 && !text.empty();
}

bool is_host(std::string_view text) {
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos || end < 3) return false;
    for (const char c : text.substr(1, end - 1))
      if (hex_value(c) < 0 && c != ':' && c != '.') return false;
    port = text.substr(end + 1);
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    for (const char c : text.substr(0, colon))
      if (!is_name_char(c)) return false;
    port = text.substr(colon);
  }
  if (port.empty()) return true;
  return port.front() == ':' && port.size() <= 6 && std::all_of(port.begin() + 1, port.end(), is_digit);
}

std::optional<std::uint64_t> number(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (!is_digit(c)) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    value = value > (kMost - digit) / 10 ? kMost : value * 10 + digit;
  }
  return value;
}

std::optional<std::uint64_t> chunk_size(std::string_view line) {
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < line.size() && hex_value(line[digits]) >= 0; ++digits)
    size = size > kMost / 16 ? kMost : size * 16 + static_cast<std::uint64_t>(hex_value(line[digits]));
  if (digits == 0 || !are_chunk_extensions(line.substr(digits))) return std::nullopt;
  return size;
}

}  // namespace frond::http::grammar
