#include "common/query/language/lexer.h"

#include <string>
#include <utility>

#include "common/query/bind.h"
#include "common/schema/nearest_names.h"

namespace frond::query {

std::vector<Token> Lexer::tokens() && {
  const auto size = static_cast<std::uint32_t>(glyphs_.size());
  while (at_ < size) {
    const char sign = glyphs_.sign(at_);
    if (sign == ' ') {
      ++at_;
    } else if (sign == '(' || sign == ')') {
      Token token{sign == '(' ? TokenKind::kOpen : TokenKind::kClose, {at_, at_ + 1}};
      ++at_;
      if (sign == ')') take_boost(token);
      push(token);
    } else {
      take_unit();
    }
  }
  if (glyphs_.lonely_escape() < glyphs_.size())
    notes_.add(glyphs_.lonely_escape(), glyphs_.size(), "a character behind \\", "\\\\");
  return std::move(tokens_);
}

std::vector<Token> Lexer::plain_tokens() && {
  const auto size = static_cast<std::uint32_t>(glyphs_.size());
  while (at_ < size) {
    if (glyphs_.sign(at_) == ' ') {
      ++at_;
      continue;
    }
    Token token{TokenKind::kNoise, {at_, at_}};
    token.text = true;
    while (glyphs_.sign(token.all.end) != ' ') ++token.all.end;
    if (glyphs_.has_letter(at_, token.all.end)) token.kind = TokenKind::kWord;
    at_ = token.all.end;
    push(token);
  }
  return std::move(tokens_);
}

void Lexer::push(const Token& token) {
  at_ = token.all.end;
  tokens_.push_back(token);
}

void Lexer::take_unit() {
  const Span unit{at_, glyphs_.unit_end(at_)};
  if (take_operator(unit)) return;
  (void)take_sign();
  if (glyphs_.sign(at_) == '(') return;
  Token token;
  token.all = {at_, at_};
  token.body = {at_, at_};
  token.field = field_at(at_, token.body.begin);
  if (token.field != nullptr && glyphs_.sign(token.body.begin) == '(') {
    token.kind = TokenKind::kOpen;
    token.all.end = token.body.begin + 1;
    return push(token);
  }
  if (take_phrase(token) || take_range(token) || take_comparison(token)) return;
  take_word(token);
}

bool Lexer::take_operator(Span unit) {
  static constexpr std::pair<std::string_view, TokenKind> kOperators[] = {
      {"AND", TokenKind::kAnd}, {"OR", TokenKind::kOr}, {"NOT", TokenKind::kNot}};
  for (const auto& [name, kind] : kOperators)
    if (glyphs_.source(unit.begin, unit.end) == name) {
      push({kind, unit, unit});
      return true;
    }
  return false;
}

// + and - before a unit that has something to search for, where no other unit ends.
bool Lexer::take_sign() {
  const char sign = glyphs_.sign(at_);
  if (sign != '+' && sign != '-') return false;
  const char before = at_ == 0 ? ' ' : glyphs_.sign(at_ - 1), next = glyphs_.sign(at_ + 1);
  if (before != ' ' && before != '(') return false;
  const std::uint32_t end = glyphs_.unit_end(at_ + 1);
  const std::string_view rest = glyphs_.source(at_ + 1, end);
  const bool begins = next == kLetter || glyphs_.is_quote(at_ + 1) || rest == "*:*" ||
                      (!rest.empty() && std::string_view("\\.#@$").find(rest[0]) != std::string_view::npos);
  // Behind a quotation mark the letters may come later; an empty phrase is noise, and so is its sign then.
  const bool has_text = glyphs_.has_letter(at_ + 1, end) || glyphs_.is_quote(at_ + 1) || rest == "*:*";
  if (next != '(' && !(begins && has_text)) return false;
  push({sign == '+' ? TokenKind::kPlus : TokenKind::kMinus, {at_, at_ + 1}});
  return true;
}

const schema::Field* Lexer::field_at(std::uint32_t at, std::uint32_t& body) {
  std::uint32_t colon = at;
  while (colon - at <= schema::kMaxFieldNameBytes && !glyphs_.ends_unit(colon) && glyphs_.sign(colon) != ':') ++colon;
  if (glyphs_.sign(colon) != ':' || colon == at) return nullptr;
  const std::string_view name = glyphs_.source(at, colon);
  const std::uint32_t end = glyphs_.unit_end(colon);
  const bool last = end == colon + 1 && glyphs_.sign(end) != '(';
  const schema::Field* const field = schema_.find(name);
  if (field == nullptr && !notes_.would_keep(at)) return nullptr;  // looking for near names takes time
  const std::string text = escaped(glyphs_.source(at, end));
  if (field == nullptr) {
    const auto nearest = schema::nearest_names(name, schema_.names(), 1);
    const bool near = !nearest.empty() && schema::edit_distance(name, nearest[0]) <= 2;
    if (!last && glyphs_.source(at, end) != "*:*")
      notes_.add(at, end, "a field of the schema before ':'",
                 near ? std::string(nearest[0]) + std::string(glyphs_.source(colon, end)) : text);
    return nullptr;
  }
  // Positions are a matter of phrases only, so the use is words.
  const auto problem = problem_of(*field, Use::kWords);
  if (last || !problem.empty()) {
    notes_.add(at, end, last ? "a value behind ':'" : "another field: '" + field->name + "' " + std::string(problem),
               last ? std::string(name) + ":*" : text);
    return nullptr;
  }
  body = colon + 1;
  return field;
}

}  // namespace frond::query
