#pragma once
// What one token asks for. Internal to this folder.
#include <optional>
#include <string>

#include "common/query/clause.h"
#include "common/query/language/glyphs.h"
#include "common/query/language/lexer.h"
#include "common/query/language/note_list.h"
#include "common/query/language/query_parser.h"
#include "common/schema/schema.h"

namespace frond::query {

class TokenMeaning {
 public:
  TokenMeaning(const Glyphs& glyphs, const schema::Schema& schema, const QueryOptions& options, NoteList& notes)
      : glyphs_(glyphs), schema_(schema), options_(options), notes_(notes) {}

  // Of a word, phrase or range; `group`: the field of the parentheses around it, or null. Empty: it is text of
  // text_field(group), with a note unless it is a plain word. To be asked once for each token.
  std::optional<Clause> of(const Token& token, const schema::Field* group) const;
  // Text as words, in the default fields if `field` is empty.
  Clause words(const std::string& field, std::string text, Mode mode) const;
  static std::string text_field(const schema::Field* group);

 private:
  std::optional<Clause> word(const Token& token, const schema::Field* field) const;
  std::optional<Clause> phrase(const Token& token, const schema::Field* field) const;
  std::optional<Clause> range(const Token& token, const schema::Field* field) const;
  std::optional<Clause> pattern(const Token& token, const schema::Field* field) const;
  std::optional<Clause> value(const Token& token, const schema::Field& field) const;
  bool is_pattern(const Token& token, const schema::Field* field) const;
  bool fits(const Token& token, const schema::Field& field, const std::string& value) const;
  bool phrases_possible() const;
  void note(const Token& token, std::string expected, bool with_text = true) const;
  template <class Node>
  Clause in_default_fields(Node node) const;

  const Glyphs& glyphs_;
  const schema::Schema& schema_;
  const QueryOptions& options_;
  NoteList& notes_;
};

}  // namespace frond::query
