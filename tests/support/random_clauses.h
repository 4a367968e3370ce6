#pragma once
// Random clauses and random queries over the schema of query_schema.h.
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/query/clause.h"

namespace frond::support {

class RandomClauses {
 public:
  explicit RandomClauses(std::uint32_t seed) : random_(seed) {}

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
  std::string word() { return std::string(1, static_cast<char>('a' + below(5))) + static_cast<char>('a' + below(3)); }
  std::string text_field() { return std::array<std::string, 3>{"", "title", "note"}[below(3)]; }
  std::int64_t year() { return 2000 + below(6); }

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
    switch (below(13)) {
      case 0:
        return {query::All()};
      case 1:
        return {query::None()};
      case 2:
        return {query::Phrase{below(2) == 0 ? "" : "title", word() + " " + word(), below(3), below(4) == 0}};
      case 3:
        return {query::Prefix{below(2) == 0 ? "tag" : text_field(), word()}};
      case 4:
        return {query::Wildcard{below(2) == 0 ? "tag" : text_field(), word() + "*" + (below(2) == 0 ? "" : "?*")}};
      case 5:
        return {query::Terms{"tag", {word(), word()}}};
      case 6:
        return {query::Terms{"year", {std::to_string(year())}}};
      case 7:
        return {query::Terms{"title", {word(), word()}}};
      case 8:
        return range();
      case 9:
        return {query::Exists{below(2) == 0 ? "year" : "tag"}};
      case 10:
        return {query::Ids{{word(), word()}}};
      default:
        return {query::Words{text_field(), word() + (below(2) == 0 ? "" : " " + word()),
                             static_cast<query::Mode>(below(3))}};
    }
  }
  query::Clause range() {
    query::Range range{"year", {}, {}};
    if (below(3) != 0) range.from = query::Bound{year(), below(2) == 0};
    if (below(3) != 0) range.to = query::Bound{year(), below(2) == 0};
    return {std::move(range)};
  }

  std::mt19937 random_;
};

}  // namespace frond::support
