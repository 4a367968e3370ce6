#include "common/query/language/token_meaning.h"

#include <algorithm>
#include <tuple>

#include "common/query/bind.h"
#include "common/query/limits.h"
#include "common/query/pattern.h"

namespace frond::query {
namespace {

using schema::Field;
using schema::FieldType;

// Whether the sign at `at` is between two digits, as in 3*4.
bool calculates(const Glyphs& glyphs, Span word, std::uint32_t at) {
  return at > word.begin && at + 1 < word.end && glyphs.all_digits(at - 1, at) && glyphs.all_digits(at + 1, at + 2);
}

}  // namespace

std::string TokenMeaning::text_field(const Field* group) {
  return group != nullptr && group->type == FieldType::kText ? group->name : "";
}

// Several fields: the best of them.
template <class Node>
Clause TokenMeaning::in_default_fields(Node node) const {
  if (!node.field.empty() || options_.default_fields.empty()) return {std::move(node)};
  Max best;
  for (const DefaultField& field : options_.default_fields) {
    node.field = field.name;
    best.of.push_back(boosted({node}, field.boost));
  }
  return best.of.size() == 1 ? std::move(best.of.front()) : Clause{std::move(best)};
}

Clause TokenMeaning::words(const std::string& field, std::string text, Mode mode) const {
  return in_default_fields(Words{field, std::move(text), mode});
}

void TokenMeaning::note(const Token& token, std::string expected, bool with_text) const {
  const std::string text = with_text ? escaped(glyphs_.source(token.all.begin, token.all.end)) : "";
  notes_.add(token.all.begin, token.all.end, std::move(expected), text);
}

std::optional<Clause> TokenMeaning::of(const Token& token, const Field* group) const {
  if (token.text) return {};
  const Field* const field = token.field != nullptr ? token.field : group;
  std::optional<Clause> found;
  if (token.kind == TokenKind::kWord)
    found = word(token, field);
  else if (token.kind == TokenKind::kPhrase)
    found = phrase(token, field);
  else
    found = range(token, field);
  if (found && token.boost) found = boosted(*std::move(found), *token.boost);
  return found;
}

std::optional<Clause> TokenMeaning::word(const Token& token, const Field* field) const {
  if (token.every_document) return Clause{All()};
  const auto [begin, end] = token.body;
  const bool column = field != nullptr && schema::is_column(field->type);
  if (field != nullptr && glyphs_.source(begin, end) == "*") return Clause{Exists{field->name}};
  bool signs = false;
  for (std::uint32_t i = begin; i < end; ++i) signs = signs || glyphs_.sign(i) == '*' || glyphs_.sign(i) == '?';
  if (column && (!signs || field->type != FieldType::kKeyword)) return value(token, *field);
  if (signs) return pattern(token, field);
  // A plain word goes with those beside it.
  if (token.field == nullptr && !token.boost) return {};
  return words(field == nullptr ? "" : field->name, glyphs_.text(begin, end), Mode::kAnd);
}

// What people mean by * and ? in text that was not written for a search box.
bool TokenMeaning::is_pattern(const Token& token, const Field* field) const {
  const auto [begin, end] = token.body;
  const std::string_view source = glyphs_.source(begin, end);
  bool inside = false, star = false;
  for (std::uint32_t i = begin; i < end; ++i) {
    const char sign = glyphs_.sign(i);
    if (sign == '*' && glyphs_.sign(i + 1) == '*') return false;
    if (field == nullptr && sign == '*' && calculates(glyphs_, token.body, i)) return false;
    star = star || sign == '*';
    inside = inside || (sign == '?' && i + 1 < end && glyphs_[i + 1].letter);
  }
  if (field == nullptr && source.find_first_of("/=&") != std::string_view::npos) return false;
  return star || inside || field != nullptr;
}

std::optional<Clause> TokenMeaning::pattern(const Token& token, const Field* field) const {
  const std::string text = glyphs_.pattern(token.body.begin, token.body.end);
  const bool address = glyphs_.source(token.body.begin, token.body.end).find("://") != std::string_view::npos;
  if (address || !is_pattern(token, field)) {
    note(token, "* or ? inside of a word, or * at its end");
    return {};
  }
  if (fixed_characters(text) < options_.min_prefix) {
    note(token, "at least " + std::to_string(options_.min_prefix) + " characters before the first * or ?");
    return {};
  }
  Clause simplest = simplest_pattern({field == nullptr ? "" : field->name, text});
  if (auto* prefix = simplest.as<Prefix>()) return in_default_fields(std::move(*prefix));
  return in_default_fields(std::move(*simplest.as<Wildcard>()));
}

bool TokenMeaning::fits(const Token& token, const Field& field, const std::string& value) const {
  const auto typed = schema::interval_of(field.type, value, schema::Reading::kLenient);
  if (!typed) {
    const std::string message = typed.error().message();
    note(token, "a value of the " + std::string(name_of(field.type)) + " column '" + field.name + "': " + message);
  }
  return typed.has_value();
}

std::optional<Clause> TokenMeaning::value(const Token& token, const Field& field) const {
  std::string value = glyphs_.value(token.body.begin, token.body.end);
  if (!fits(token, field, value)) return {};
  return Clause{Terms{field.name, {std::move(value)}}};
}

bool TokenMeaning::phrases_possible() const {
  if (options_.default_fields.empty()) return schema_.has_positions();
  return std::ranges::all_of(options_.default_fields, [&](const DefaultField& one) {
    const Field* const field = schema_.find(one.name);
    return field != nullptr && problem_of(*field, Use::kPhrase).empty();
  });
}

std::optional<Clause> TokenMeaning::phrase(const Token& token, const Field* field) const {
  const auto [begin, end] = token.body;
  if (field != nullptr && schema::is_column(field->type)) {
    if (!token.slop) return value(token, *field);
    note(token, "no ~ behind a value of a column", false);
    return {};
  }
  if (field == nullptr ? !phrases_possible() : !problem_of(*field, Use::kPhrase).empty()) {
    note(token,
         field == nullptr ? "words, since no field has positions, which phrases need"
                          : "words, since field '" + field->name + "' has no positions, which phrases need",
         false);
    return {};
  }
  const std::uint32_t slop = token.slop.value_or(0);
  if (slop > options_.max_slop) note(token, "a slop of at most " + std::to_string(options_.max_slop), false);
  return in_default_fields(
      Phrase{field == nullptr ? "" : field->name, glyphs_.text(begin, end), std::min(slop, options_.max_slop), false});
}

std::optional<Clause> TokenMeaning::range(const Token& token, const Field* field) const {
  const auto problem = field == nullptr ? std::string_view() : problem_of(*field, Use::kRange);
  if (field == nullptr || !problem.empty()) {
    note(token, field == nullptr ? "the field of a range before it"
                                 : "no range: field '" + field->name + "' " + std::string(problem));
    return {};
  }
  Range range{field->name, {}, {}};
  for (const auto& [span, inclusive, bound] : {std::tuple(token.from, token.from_inclusive, &range.from),
                                               std::tuple(token.to, token.to_inclusive, &range.to)}) {
    if (!span) continue;
    std::string value = glyphs_.value(span->begin, span->end);
    if (!fits(token, *field, value)) return {};
    *bound = Bound{std::move(value), inclusive};
  }
  if (!range.from && !range.to) return Clause{Exists{field->name}};
  return Clause{std::move(range)};
}

}  // namespace frond::query
