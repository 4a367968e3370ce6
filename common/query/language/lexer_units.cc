// Words, phrases, ranges and what stands behind them.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <utility>

#include "common/query/language/lexer.h"

namespace frond::query {

std::optional<Span> Lexer::quoted(std::uint32_t at) {
  const auto* const kind = std::ranges::find(kQuoteKinds, glyphs_.sign(at));
  bool& unclosed = unclosed_[static_cast<std::size_t>(kind - std::begin(kQuoteKinds))];
  for (std::uint32_t end = at + 1; !unclosed && end < glyphs_.size(); ++end)
    if (glyphs_.sign(end) == glyphs_.sign(at)) return Span{at + 1, end};
  unclosed = true;
  return {};
}

bool Lexer::take_phrase(Token token) {
  const std::uint32_t open = token.body.begin;
  if (!glyphs_.is_quote(open)) return false;
  const auto inside = quoted(open);
  if (!inside) return false;
  token.body = *inside;
  token.all.end = inside->end + 1;
  token.kind = TokenKind::kPhrase;
  if (!glyphs_.has_letter(inside->begin, inside->end)) {
    notes_.add(open, token.all.end, "words between the quotation marks");
    token.kind = token.field == nullptr ? TokenKind::kNoise : TokenKind::kWord;
    token.field = nullptr;
    token.body = token.all;
  } else {
    at_ = token.all.end;
    take_slop(token);
    take_boost(token);
  }
  push(token);
  return true;
}

// A value of a range, and the spaces around it; not moved, if there is none.
std::optional<Span> Lexer::range_value(std::uint32_t& at) {
  while (at < glyphs_.size() && glyphs_.sign(at) == ' ') ++at;
  if (at < glyphs_.size() && glyphs_.sign(at) == '"') {
    const auto inside = quoted(at);
    if (inside) at = inside->end + 1;
    return inside;
  }
  Span value{at, at};
  while (!glyphs_.ends_unit(value.end) &&
         std::string_view("[]{}").find(glyphs_.sign(value.end)) == std::string_view::npos)
    ++value.end;
  at = value.end;
  if (value.empty()) return {};
  return value;
}

bool Lexer::take_range(Token token) {
  std::uint32_t at = token.body.begin;
  const char open = glyphs_.sign(at);
  if (open != '[' && open != '{') return false;
  ++at;
  const auto skip_spaces = [&] {
    const std::uint32_t before = at;
    while (at < glyphs_.size() && glyphs_.sign(at) == ' ') ++at;
    return at != before;
  };
  auto from = range_value(at);
  const bool separated = from && skip_spaces() && glyphs_.source(at, glyphs_.unit_end(at)) == "TO";
  if (separated) at += 2;
  auto to = separated && skip_spaces() ? range_value(at) : std::nullopt;
  if (to) skip_spaces();
  const char close = glyphs_.sign(at);
  if (!to || (close != ']' && close != '}')) {
    notes_.add(token.all.begin, glyphs_.unit_end(token.body.begin), "a range as in field:[1 TO 5]",
               std::string(glyphs_.source(token.all.begin, token.body.begin)) + "[* TO *]");
    return false;
  }
  const auto is_open = [&](Span value) { return glyphs_.source(value.begin, value.end) == "*"; };
  token.kind = TokenKind::kRange;
  if (!is_open(*from)) token.from = from;
  if (!is_open(*to)) token.to = to;
  token.from_inclusive = open == '[';
  token.to_inclusive = close == ']';
  token.all.end = at_ = at + 1;
  take_boost(token);
  push(token);
  return true;
}

bool Lexer::take_comparison(Token token) {
  std::uint32_t at = token.body.begin;
  const char sign = glyphs_.sign(at);
  if (sign != '<' && sign != '>') return false;
  const bool inclusive = glyphs_.sign(++at) == '=';
  if (inclusive) ++at;
  const bool in_quotes = glyphs_.sign(at) == '"';
  Span value{at, glyphs_.unit_end(at)};
  if (const auto inside = in_quotes ? quoted(at) : std::nullopt) value = *inside;
  if (!glyphs_.has_letter(value.begin, value.end)) return false;
  token.kind = TokenKind::kRange;
  token.all.end = at_ = in_quotes && value.begin != at ? value.end + 1 : value.end;
  (sign == '>' ? token.from : token.to) = value;
  (sign == '>' ? token.from_inclusive : token.to_inclusive) = inclusive;
  take_boost(token);
  push(token);
  return true;
}

// Where signs mean nothing.
bool Lexer::is_address(Span word) const {
  const std::string_view text = glyphs_.source(word.begin, word.end);
  if (text.starts_with("www.") || text.starts_with("mailto:") || text.starts_with('/')) return true;
  if (text.find("://") != std::string_view::npos) return true;
  const auto at = text.find('@');
  return at != std::string_view::npos && at != 0 && at + 1 < text.size() && text.find(':') == std::string_view::npos;
}

void Lexer::take_word(Token token) {
  token.all.end = token.body.end = glyphs_.unit_end(token.body.begin);
  const std::string_view whole = glyphs_.source(token.all.begin, token.all.end);
  const bool alone =
      whole == "*" && tokens_.empty() &&
      std::string_view(glyphs_.source(0, glyphs_.size())).find_first_not_of(' ', glyphs_[token.all.end].begin) ==
          std::string_view::npos;
  token.every_document = whole == "*:*" || alone;
  token.kind =
      token.every_document || glyphs_.has_letter(token.all.begin, token.all.end) ? TokenKind::kWord : TokenKind::kNoise;
  if (!token.every_document && (token.field != nullptr || !is_address(token.body))) {
    std::uint32_t caret = token.body.end;
    while (caret > token.body.begin && glyphs_.sign(caret) != '^') --caret;
    if (caret > token.body.begin) {
      token.boost = boost_at(caret, token.body.end);
      const bool power = token.field == nullptr && glyphs_.all_digits(token.body.begin, caret);
      if (power || !glyphs_.has_letter(token.all.begin, caret)) token.boost.reset();
      if (token.boost) token.body.end = caret;
    }
    note_signs_inside(token);
  }
  push(token);
}

// What strict queries do not have. Patterns and what is in a field are looked at when they are understood.
void Lexer::note_signs_inside(const Token& token) {
  const auto [begin, end] = token.body;
  if (begin == end) return;
  const std::string text = escaped(glyphs_.source(token.all.begin, token.all.end));
  const auto note = [&](std::string expected) {
    notes_.add(token.all.begin, token.all.end, std::move(expected), text);
  };
  const std::string_view source = glyphs_.source(begin, end);
  if (token.kind == TokenKind::kNoise) {
    if (source == "&&" || source == "||")
      return notes_.add(begin, end, "AND, OR or words", source == "&&" ? "AND" : "OR");
    if (std::string_view("+-*~^[{").find(glyphs_.sign(begin)) != std::string_view::npos)
      note("a word behind or before the sign");
    return;
  }
  if (token.field != nullptr && schema::is_column(token.field->type)) return;
  bool quote = false;
  for (std::uint32_t i = begin; i < end; ++i) {
    quote = quote || glyphs_.is_quote(i);
    if (glyphs_.sign(i) == '~') return note("~ behind a phrase only");
    if (glyphs_.sign(i) == '^') return note("a boost from 0 to 100 behind a word that is no number");
  }
  if (quote)
    return notes_.add(token.all.begin, token.all.end, "a pair of quotation marks around a phrase",
                      "\"" + std::string(text) + "\"");
  if (glyphs_.sign(end - 1) == '+' || glyphs_.sign(end - 1) == '-') return note("a sign before a word");
  if (glyphs_.sign(begin) == '+' || glyphs_.sign(begin) == '-') note("a sign before a word");
}

void Lexer::take_slop(Token& token) {
  if (glyphs_.sign(token.all.end) != '~') return;
  std::uint32_t end = token.all.end + 1;
  std::uint64_t slop = 0;
  for (; end < glyphs_.size() && glyphs_.source(end, end + 1) >= "0" && glyphs_.source(end, end + 1) <= "9"; ++end)
    slop = std::min<std::uint64_t>(slop * 10 + static_cast<std::uint64_t>(glyphs_.source(end, end + 1)[0] - '0'),
                                   1u << 30);
  if (end == token.all.end + 1 || (!glyphs_.ends_unit(end) && glyphs_.sign(end) != '^')) return;
  token.slop = static_cast<std::uint32_t>(slop);
  token.all.end = end;
}

void Lexer::take_boost(Token& token) {
  if (glyphs_.sign(token.all.end) != '^') return;
  const std::uint32_t end = glyphs_.unit_end(token.all.end);
  token.boost = boost_at(token.all.end, end);
  if (token.boost) token.all.end = end;
}

// ^2.5
std::optional<Factor> Lexer::boost_at(std::uint32_t at, std::uint32_t end) const {
  const std::string_view number = glyphs_.source(at + 1, end);
  if (number.empty() || !glyphs_.all_digits(at + 1, end)) return {};
  double value = 0;
  const auto [last, failed] =
      std::from_chars(number.data(), number.data() + number.size(), value, std::chars_format::fixed);
  if (failed != std::errc() || last != number.data() + number.size()) return {};
  return factor_of(value, kMaxBoost);
}

}  // namespace frond::query
