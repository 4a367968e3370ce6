#pragma once
// A query's text as tokens. Internal to this folder.
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/query/factor.h"
#include "common/query/language/glyphs.h"
#include "common/query/language/note_list.h"
#include "common/schema/schema.h"

namespace frond::query {

// Glyphs [begin, end).
struct Span {
  std::uint32_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
};

enum class TokenKind : std::uint8_t { kWord, kNoise, kPhrase, kRange, kOpen, kClose, kAnd, kOr, kNot, kPlus, kMinus };

struct Token {
  TokenKind kind = TokenKind::kNoise;    // kNoise has no letter: it asks for nothing
  Span all;                              // with field, quotes and suffix
  Span body;                             // of a word without field and suffix; of a phrase, inside its quotes
  const schema::Field* field = nullptr;  // named before it
  std::optional<Factor> boost;
  std::optional<std::uint32_t> slop;
  std::optional<Span> from, to;  // of a range; empty: *, or the other side of > and <
  bool from_inclusive = true, to_inclusive = true;
  bool every_document = false;  // *:*, or * alone
  bool text = false;            // no sign in it counts
};

class Lexer {
 public:
  Lexer(const Glyphs& glyphs, const schema::Schema& schema, NoteList& notes)
      : glyphs_(glyphs), schema_(schema), notes_(notes) {}

  std::vector<Token> tokens() &&;
  // Every word is text.
  std::vector<Token> plain_tokens() &&;

 private:
  void take_unit();
  bool take_sign();
  bool take_operator(Span unit);
  // The field before a unit, and where what follows it begins; null: there is none.
  const schema::Field* field_at(std::uint32_t at, std::uint32_t& body);
  bool take_phrase(Token token);
  bool take_range(Token token);
  bool take_comparison(Token token);
  void take_word(Token token);
  void note_signs_inside(const Token& token);
  bool is_address(Span word) const;

  std::optional<Span> quoted(std::uint32_t at);
  std::optional<Span> range_value(std::uint32_t& at);
  void take_slop(Token& token);
  void take_boost(Token& token);
  std::optional<Factor> boost_at(std::uint32_t at, std::uint32_t end) const;
  void push(const Token& token);

  const Glyphs& glyphs_;
  const schema::Schema& schema_;
  NoteList& notes_;
  std::vector<Token> tokens_;
  std::uint32_t at_ = 0;
  std::array<bool, 4> unclosed_{};  // no further quotation mark of this kind
};

}  // namespace frond::query
