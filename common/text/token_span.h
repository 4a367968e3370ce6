#pragma once
// A token's place in a text, and the plain way to find tokens one by one.
#include <cstddef>
#include <string_view>

namespace frond::text {

// Longer words are cut into pieces of at most this, between code points.
inline constexpr std::size_t kMaxTokenBytes = 255;

// A token: bytes [begin, end) of the text.
struct TokenSpan {
  std::size_t begin = 0, end = 0;
  friend bool operator==(const TokenSpan&, const TokenSpan&) = default;
};

// Which characters are in tokens: letters and digits only; or also, for standard3, raised and lowered digits, which
// belong to the word before them but to no other digit, and symbols (word_class.h), a grapheme cluster each.
enum class TokenRules : bool { kWords, kWordsAndSymbols };

// The next token at or after `from`; empty, at the end of the text, if there is none.
TokenSpan next_token(std::string_view text, std::size_t from, TokenRules rules = TokenRules::kWords);

}  // namespace frond::text
