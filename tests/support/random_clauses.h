#pragma once
// Random clauses and random queries over a vocabulary.
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/query/clause.h"
#include "common/query/limits.h"
#include "tests/support/vocabulary.h"

namespace frond::support {

class RandomClauses {
 public:
  explicit RandomClauses(std::uint32_t seed) : RandomClauses(seed, small_vocabulary()) {}
  RandomClauses(std::uint32_t seed, Vocabulary vocabulary)
      : random_(seed), vocabulary_(std::move(vocabulary)), schema_(vocabulary_.schema) {
    for (std::size_t field = 0; field < schema_.fields.size(); ++field)
      if (!vocabulary_.values[field].empty()) columns_.push_back(field);
  }
  RandomClauses(const RandomClauses&) = delete;
  RandomClauses& operator=(const RandomClauses&) = delete;

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  // At most `depth` clauses inside each other; 1: a leaf.
  query::Clause clause(std::uint32_t depth) {
    if (depth <= 1 || below(4) == 0) return leaf();
    switch (below(8)) {
      case 0:
        return {query::Max{clauses(3, depth - 1), {below(2) * 64}}};
      case 1:
        return {query::Constant{some(1, depth - 1), factor()}};
      case 2:
        return {query::Boost{some(1, depth - 1), factor()}};
      default:
        return boolean(depth - 1);
    }
  }

  // Words that documents must, may, must not and must have some of, often with a phrase: what a GPU takes, too.
  query::Clause required() {
    const auto phrases = vocabulary_.fields_for(query::Use::kPhrase), fields = text_fields();
    const bool boosts = below(3) == 0, some = below(3) == 0;
    query::Bool both;
    const auto boosted = [&](query::Clause clause) {
      if (!boosts || below(2) == 0) return clause;
      return query::Clause{query::Boost{{std::move(clause)}, factor()}};
    };
    const auto add = [&](std::vector<query::Clause>& to, std::uint32_t most) {
      for (std::uint32_t i = below(most + 1); i-- > 0;)
        to.push_back(
            boosted({query::Words{fields.empty() || below(4) != 0 ? "" : any(fields), word(), query::Mode::kAnd}}));
    };
    if (!phrases.empty() && !some && below(4) != 0)
      both.must.push_back(boosted({query::Phrase{any(phrases), word() + " " + some_words(3)}}));
    if (!some || below(3) == 0) add(both.must, both.must.empty() ? 2 : 1);
    if (both.must.size() == 1 && below(3) == 0) return both.must.front();
    add(both.should, some ? 5 : 2);
    add(both.must_not, 2);
    if (some && !both.should.empty())
      both.minimum = query::MinimumMatch{query::MinimumMatch::Kind::kCount,
                                         below(static_cast<std::uint32_t>(both.should.size()) + 1)};
    else if (both.must.empty())
      both.must.push_back({query::All()});
    return {std::move(both)};
  }

  // Words, signs and pieces of both.
  std::string text() {
    static constexpr std::string_view kPieces[] = {
        "a",      "b",      "abc",          "hard-links", " ",          " ",       " ",      " ",
        "AND",    "OR",     "NOT",          "+",          "-",          "(",       ")",      "\"",
        "~2",     "^2",     "^0.5",         "title:",     "tag:",       "year:",   "price:", "body:",
        "note:",  "2010",   "x:y",          "[",          "]",          "{",       "}",      " TO ",
        "*",      "?",      "\\",           ">=",         "<",          "\u201c",  "\u201d", "\uff08",
        "\uff09", "\uff1a", "C++",          "\u65e5",     "published:", "2020-01", "open:",  "true",
        "*:*",    "\u3000", "http://a/b?c", "\xff"};
    std::string text;
    for (std::uint32_t i = below(24); i-- > 0;) text += kPieces[below(std::size(kPieces))];
    return text;
  }

 private:
  std::vector<query::Clause> some(std::size_t count, std::uint32_t depth) {
    std::vector<query::Clause> made;
    while (made.size() < count) made.push_back(clause(depth));
    return made;
  }
  std::vector<query::Clause> clauses(std::uint32_t max, std::uint32_t depth) { return some(below(max + 1), depth); }
  query::Factor factor() {
    static constexpr std::uint32_t kUnits[] = {0, 128, 256, 256, 512, 640};
    return {kUnits[below(std::size(kUnits))]};
  }
  template <class T>
  const T& any(const std::vector<T>& all) {
    return all[below(static_cast<std::uint32_t>(all.size()))];
  }
  const std::string& word() { return any(vocabulary_.words); }
  std::string some_words(std::uint32_t most) {
    std::string text = word();
    for (std::uint32_t more = below(most); more-- > 0;) text += " " + word();
    return text;
  }
  // The beginning of a word or value without signs, long enough for a pattern.
  std::string beginning_of(const std::string& whole) {
    std::string begun;
    for (const char c : whole) {
      const bool enough = query::fixed_characters(begun) >= query::Limits().min_prefix;
      if (enough && (static_cast<unsigned char>(c) & 0xc0) != 0x80 && below(2) == 0) break;
      if (c != '*' && c != '?' && c != '\\') begun += c;
    }
    while (query::fixed_characters(begun) < query::Limits().min_prefix) begun += 'a';
    return begun;
  }

  query::Clause boolean(std::uint32_t depth) {
    query::Bool both;
    both.must = clauses(2, depth);
    if (below(2) == 0) both.should = clauses(4, depth);
    if (below(3) == 0) both.must_not = clauses(2, depth);
    if (below(3) == 0) both.filter = clauses(2, depth);
    if (below(2) == 0) both.must.clear();
    using Kind = query::MinimumMatch::Kind;
    if (below(3) == 0) both.minimum = query::MinimumMatch{Kind::kCount, below(4)};
    if (below(8) == 0) both.minimum = query::MinimumMatch{Kind::kPercent, below(101)};
    if (below(8) == 0) both.minimum = query::MinimumMatch{Kind::kAllFirst, 0};
    return {std::move(both)};
  }

  query::Clause leaf() {
    using query::Use;
    const std::uint32_t kind = below(15);
    if (kind == 0) return below(2) == 0 ? query::Clause{query::All()} : query::Clause{query::None()};
    if (kind == 1) return {query::Ids{{any(vocabulary_.ids), any(vocabulary_.ids)}}};
    if (kind <= 6 && !columns_.empty()) return column_leaf(any(columns_));
    if (kind <= 8) return pattern(vocabulary_.fields_for(Use::kPattern));
    if (kind == 9) return text_terms();
    if (kind == 10) return exists();
    const auto phrases = vocabulary_.fields_for(Use::kPhrase);
    if (kind <= 12 && !phrases.empty())
      return {query::Phrase{any(phrases), word() + " " + some_words(3), below(4), below(4) == 0}};
    const auto texts = text_fields();
    if (texts.empty()) return text_terms();
    return {query::Words{any(texts), some_words(4), static_cast<query::Mode>(below(3))}};
  }
  // That words can be searched in.
  std::vector<std::string> text_fields() const {
    std::vector<std::string> names = vocabulary_.fields_for(query::Use::kWords);
    std::erase_if(names, [&](const std::string& name) {
      return !name.empty() && schema_.find(name)->type != schema::FieldType::kText;
    });
    return names;
  }
  query::Clause exists() {
    const auto fields = vocabulary_.fields_for(query::Use::kExists);
    return fields.empty() ? query::Clause{query::All()} : query::Clause{query::Exists{any(fields)}};
  }
  query::Clause column_leaf(std::size_t number) {
    const schema::Field& field = schema_.fields[number];
    const auto& values = vocabulary_.values[number];
    if (below(8) == 0) return {query::Exists{field.name}};
    const bool ordered = query::problem_of(field, query::Use::kRange).empty();
    if (ordered && below(2) == 0) {
      query::Range range{field.name, {}, {}};
      if (below(3) != 0) range.from = query::Bound{any(values), below(2) == 0};
      if (below(3) != 0) range.to = query::Bound{any(values), below(2) == 0};
      return {std::move(range)};
    }
    query::Terms terms{field.name, {}};
    for (std::uint32_t i = 1 + below(3); i-- > 0;) terms.values.push_back(any(values));
    return {std::move(terms)};
  }
  query::Clause pattern(const std::vector<std::string>& fields) {
    if (fields.empty()) return text_terms();
    const std::string& name = any(fields);
    const schema::Field* const field = schema_.find(name);
    const auto* values = field == nullptr || !schema::is_column(field->type)
                             ? nullptr
                             : &vocabulary_.values[static_cast<std::size_t>(field - schema_.fields.data())];
    if (values != nullptr && values->empty()) return {query::Exists{name}};
    const std::string begun = beginning_of(values != nullptr ? std::get<std::string>(any(*values)) : word());
    if (below(2) == 0) return {query::Prefix{name, begun}};
    return {query::Wildcard{name, begun + std::array{"*", "*?", "?*", "?", "*a*", "*b"}[below(6)]}};
  }
  // Terms as they are indexed, or weights of them.
  query::Clause text_terms() {
    std::vector<std::string> fields;
    for (const schema::Field& field : schema_.fields)
      if (field.type == schema::FieldType::kWeights || (field.type == schema::FieldType::kText && field.field_search))
        fields.push_back(field.name);
    if (fields.empty()) return {query::All()};
    const std::string& field = any(fields);
    const bool impacts = schema_.find(field)->type == schema::FieldType::kWeights;
    const auto& words = impacts ? vocabulary_.tokens : vocabulary_.words;
    if (!impacts && below(2) == 0) return {query::Terms{field, {any(words), any(words)}}};
    query::Weights weights{field, {}};
    for (std::uint32_t i = 1 + below(4); i-- > 0;) {
      const std::string& token = any(words);
      const auto there = std::ranges::find(weights.tokens, token, &query::WeightedToken::token);
      if (there == weights.tokens.end())
        weights.tokens.push_back({token, {std::array{0u, 1u, 128u, 256u, 700u, 70'000u}[below(6)]}});
    }
    return {std::move(weights)};
  }

  std::mt19937 random_;
  const Vocabulary vocabulary_;
  const schema::Schema& schema_;
  std::vector<std::size_t> columns_;  // with values
};

}  // namespace frond::support
