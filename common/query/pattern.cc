#include "common/query/pattern.h"

#include <utility>

namespace frond::query {

std::string escaped_pattern(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '*' || c == '?' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

Clause simplest_pattern(const Wildcard& wildcard) {
  std::string pattern, text;
  std::size_t signs = 0;
  bool star = false;  // the last sign is a `*` at the end
  for (std::size_t i = 0; i < wildcard.pattern.size(); ++i) {
    char c = wildcard.pattern[i];
    const bool sign = c == '*' || c == '?';
    if (sign && c == '*' && star) continue;
    star = c == '*';
    if (sign) {
      ++signs;
      pattern += c;
      continue;
    }
    if (c == '\\' && i + 1 < wildcard.pattern.size()) c = wildcard.pattern[++i];
    pattern += escaped_pattern({&c, 1});
    text += c;
  }
  if (signs == 1 && star && !text.empty()) return {Prefix{wildcard.field, std::move(text)}};
  return {Wildcard{wildcard.field, std::move(pattern)}};
}

}  // namespace frond::query
