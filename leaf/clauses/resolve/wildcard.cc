#include "leaf/clauses/resolve/wildcard.h"

#include "common/text/utf8.h"

namespace frond::leaf::clauses {
namespace {

// Bytes that are not UTF-8 are numbers of their own, so that different texts stay different.
char32_t next_character(std::string_view text, std::size_t& at) {
  const text::CodePoint c = text::decode_utf8(text, at);
  const auto byte = static_cast<unsigned char>(text[at]);
  at += c.bytes;
  return c.value == text::kNoCodePoint ? 0x8000'0000 + byte : static_cast<char32_t>(c.value);
}

}  // namespace

WildcardPattern::WildcardPattern(std::string_view pattern, const Normal& normal) {
  std::string stretch;
  const auto end_stretch = [&] {
    if (normal && !stretch.empty()) stretch = normal(stretch);
    if (signs_.empty()) fixed_ = stretch;
    for (std::size_t at = 0; at < stretch.size();) signs_.push_back(next_character(stretch, at));
    stretch.clear();
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*' || pattern[i] == '?') {
      end_stretch();
      signs_.push_back(pattern[i] == '*' ? kAny : kOne);
      continue;
    }
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    stretch += pattern[i];
  }
  end_stretch();
}

bool WildcardPattern::matches(std::string_view text) const {
  // The last `*` takes one character more whenever what follows it does not match.
  std::size_t sign = 0, at = 0, after_any = signs_.size() + 1, retry = 0;
  while (at < text.size()) {
    std::size_t next = at;
    const char32_t character = next_character(text, next);
    if (sign < signs_.size() && signs_[sign] == kAny) {
      after_any = ++sign;
      retry = at;
    } else if (sign < signs_.size() && (signs_[sign] == kOne || signs_[sign] == character)) {
      ++sign;
      at = next;
    } else if (after_any <= signs_.size()) {
      next_character(text, retry);
      sign = after_any;
      at = retry;
    } else {
      return false;
    }
  }
  while (sign < signs_.size() && signs_[sign] == kAny) ++sign;
  return sign == signs_.size();
}

}  // namespace frond::leaf::clauses
