#pragma once
// Tokens of which every sign has a meaning: parentheses are pairs with something inside, each AND and OR stands between
// operands, and each +, - and NOT before one. What had none is text. Internal to this folder.
#include <cstddef>
#include <string>
#include <vector>

#include "common/query/language/lexer.h"
#include "common/query/language/note_list.h"

namespace frond::query {

class TokenList {
 public:
  TokenList(std::vector<Token> tokens, const Glyphs& glyphs, NoteList& notes);

  std::size_t size() const { return tokens_.size(); }
  const Token& operator[](std::size_t i) const { return tokens_[i]; }
  // The first token from `i` on that is no noise; size(): there is none. i <= size().
  std::size_t significant(std::size_t i) const { return significant_[i]; }
  // A word, phrase or range.
  bool is_unit(std::size_t i) const;
  // AND or OR follows.
  bool joins_next(std::size_t i) const;

 private:
  void match_parentheses();
  void check_prefixes();
  void find_significant();
  void check_operators();
  void become_text(std::size_t i);
  void note(std::size_t i, std::string expected, std::string nearest = "");

  std::vector<Token> tokens_;
  std::vector<std::size_t> significant_;
  const Glyphs& glyphs_;
  NoteList& notes_;
};

}  // namespace frond::query
