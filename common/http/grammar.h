#pragma once
// The character classes and small rules of HTTP/1.1 (RFC 9110, 5 and 4.2; RFC 9112, 2 and 3.2). Internal to this
// folder. Functions of their arguments alone; any thread.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace frond::http::grammar {

namespace detail {
// Lower-case letters of a token's characters; 0 for what no token has.
constexpr std::array<char, 256> token_table() {
  std::array<char, 256> table{};
  for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"))
    table[static_cast<unsigned char>(c)] = c;
  for (char c = 'A'; c <= 'Z'; ++c) table[static_cast<unsigned char>(c)] = static_cast<char>(c + 32);
  return table;
}
inline constexpr auto kToken = token_table();
}  // namespace detail

// The character in lower case; 0 if no token may have it.
constexpr char token_char(char c) { return detail::kToken[static_cast<unsigned char>(c)]; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr std::string_view trimmed(std::string_view text) {  // of SP and HTAB
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}
// `lower` is in lower case.
constexpr bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

bool is_token(std::string_view text);
// A field's value: HTAB, SP, visible characters, bytes past ASCII; neither CR, LF, NUL nor another control.
bool is_text(std::string_view text);
// A request target's characters: no space, no control, no '#', at least one. What else RFC 3986 forbids is let through:
// clients do send it.
bool is_target(std::string_view text);
// uri-host [":" port]: a name, an IPv4 address, an IPv6 address in brackets. Empty is one.
bool is_host(std::string_view text);
// 1*DIGIT. More than 2^64 - 1 is 2^64 - 1: larger than any limit.
std::optional<std::uint64_t> number(std::string_view digits);
// chunk-size [chunk-ext], a chunk's first line without its CRLF. Saturates as number() does; extensions are checked and
// left out.
std::optional<std::uint64_t> chunk_size(std::string_view line);

}  // namespace frond::http::grammar
