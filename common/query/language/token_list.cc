#include "common/query/language/token_list.h"

#include <utility>

#include "common/query/language/query_parser.h"

namespace frond::query {

TokenList::TokenList(std::vector<Token> tokens, const Glyphs& glyphs, NoteList& notes)
    : tokens_(std::move(tokens)), glyphs_(glyphs), notes_(notes) {
  match_parentheses();
  check_prefixes();
  find_significant();
  check_operators();
}

bool TokenList::is_unit(std::size_t i) const {
  const TokenKind kind = tokens_[i].kind;
  return kind == TokenKind::kWord || kind == TokenKind::kPhrase || kind == TokenKind::kRange;
}

bool TokenList::joins_next(std::size_t i) const {
  const std::size_t next = significant_[i + 1];
  return next < size() && (tokens_[next].kind == TokenKind::kAnd || tokens_[next].kind == TokenKind::kOr);
}

void TokenList::note(std::size_t i, std::string expected, std::string nearest) {
  notes_.add(tokens_[i].all.begin, tokens_[i].all.end, std::move(expected), std::move(nearest));
}

void TokenList::become_text(std::size_t i) {
  Token text;
  text.all = text.body = tokens_[i].all;
  text.text = true;
  text.kind = glyphs_.has_letter(text.all.begin, text.all.end) ? TokenKind::kWord : TokenKind::kNoise;
  tokens_[i] = text;
}

// Pairs with an operand inside, at most kMaxParentheses inside each other.
void TokenList::match_parentheses() {
  struct Open {
    std::size_t at, operands;
  };
  std::vector<Open> open;
  std::size_t operands = 0;  // in the innermost pair
  for (std::size_t i = 0; i < size(); ++i) {
    const TokenKind kind = tokens_[i].kind;
    if (kind == TokenKind::kOpen) {
      open.push_back({i, operands});
      operands = 0;
    } else if (kind != TokenKind::kClose) {
      const bool empty = kind == TokenKind::kNoise || kind == TokenKind::kPlus || kind == TokenKind::kMinus;
      operands += empty ? 0 : 1;
    } else if (open.empty()) {
      note(i, "a parenthesis that is open", "\\)");
      become_text(i);
    } else {
      const Open begin = open.back();
      open.pop_back();
      const bool deep = open.size() >= kMaxParentheses;
      if (deep || operands == 0) {
        note(begin.at, deep ? "at most " + std::to_string(kMaxParentheses) + " parentheses inside each other"
                            : "something between the parentheses");
        become_text(begin.at);
        become_text(i);
        operands += begin.operands;
      } else {
        operands = begin.operands + 1;
      }
    }
  }
  for (const Open& one : open) {
    const std::uint32_t begin = tokens_[one.at].all.begin;
    if (notes_.would_keep(begin))
      note(one.at, "a parenthesis that closes this one", std::string(glyphs_.source(begin, glyphs_.size())) + ")");
    become_text(one.at);
  }
}

void TokenList::check_prefixes() {
  const auto begins_operand = [this](std::size_t i) {
    return i < size() && (is_unit(i) || tokens_[i].kind == TokenKind::kOpen);
  };
  std::size_t next = size();  // the next token that is no noise
  for (std::size_t i = size(); i-- > 0;) {
    const TokenKind kind = tokens_[i].kind;
    if ((kind == TokenKind::kPlus || kind == TokenKind::kMinus) && !begins_operand(i + 1)) {
      note(i, "a word, phrase or parenthesis behind it");
      become_text(i);
    } else if (kind == TokenKind::kNot) {
      if (next < size() && tokens_[next].kind == TokenKind::kPlus) {
        note(next, "no + behind NOT");
        become_text(next);
        next = next + 1;  // what the sign stands before
      }
      const bool prefix =
          next < size() && (tokens_[next].kind == TokenKind::kNot || tokens_[next].kind == TokenKind::kMinus);
      if (!prefix && !begins_operand(next)) {
        note(i, "something behind NOT that is excluded", "\\NOT");
        become_text(i);
      }
    }
    if (tokens_[i].kind != TokenKind::kNoise) next = i;
  }
}

void TokenList::find_significant() {
  significant_.assign(size() + 1, size());
  for (std::size_t i = size(); i-- > 0;)
    significant_[i] = tokens_[i].kind == TokenKind::kNoise ? significant_[i + 1] : i;
}

void TokenList::check_operators() {
  bool operand = false;  // one ends before
  for (std::size_t i = significant_[0]; i < size(); i = significant_[i + 1]) {
    const TokenKind kind = tokens_[i].kind;
    if (kind == TokenKind::kAnd || kind == TokenKind::kOr) {
      const std::size_t next = significant_[i + 1];
      const bool followed = next < size() && tokens_[next].kind != TokenKind::kClose &&
                            tokens_[next].kind != TokenKind::kAnd && tokens_[next].kind != TokenKind::kOr;
      if (!operand || !followed) {
        const std::string name(glyphs_.source(tokens_[i].all.begin, tokens_[i].all.end));
        note(i, "something on both sides of " + name, "\\" + name);
        become_text(i);
      }
    }
    operand = is_unit(i) || tokens_[i].kind == TokenKind::kClose;
  }
}

}  // namespace frond::query
