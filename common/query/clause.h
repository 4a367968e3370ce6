#pragma once
// A query as a tree: one form for the query language, for JSON, for the wire and for the engines. Texts are as somebody
// wrote them: which terms they are is found out later, with the collection's analyzers. Plain values: whoever holds a
// clause owns all of it.
//
// A document's score is the sum of the scores of the clauses that it matches. Columns, ids, exists, all and filters
// match and add no score; `constant` gives them one. A text without any term (only stop words) asks for nothing: it is
// left out of what contains it (asked.h).
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/query/factor.h"
#include "common/schema/value.h"

namespace frond::query {

using schema::Value;

// Of words beside each other: all, any, or first the documents with all and then the others. A query with kAuto is
// searched as two, with resolved(); where no score counts, kAuto is kOr.
enum class Mode : std::uint8_t { kAuto, kAnd, kOr };
inline constexpr std::string_view kModeNames[] = {"auto", "and", "or"};

// Text leaves. An empty field stands for the list of all text fields that plain queries use.
struct Words {
  std::string field, text;
  Mode mode = Mode::kAuto;
  friend bool operator==(const Words&, const Words&) = default;
};
struct Phrase {
  std::string field, text;
  std::uint32_t slop = 0;  // max(place − number) − min(place − number) over the words is at most this
  bool prefix = false;     // the last word is the beginning of one
  friend bool operator==(const Phrase&, const Phrase&) = default;
};
struct Prefix {
  std::string field, text;
  friend bool operator==(const Prefix&, const Prefix&) = default;
};
// `*` stands for any characters, `?` for one, and `\` makes the next character text.
struct Wildcard {
  std::string field, pattern;
  friend bool operator==(const Wildcard&, const Wildcard&) = default;
};

// One of these values. On a text field they are terms as they are indexed, and add the sum of their scores.
struct Terms {
  std::string field;
  std::vector<Value> values;
  friend bool operator==(const Terms&, const Terms&) = default;
};
struct WeightedToken {
  std::string token;  // as indexed
  Factor weight;
  friend bool operator==(const WeightedToken&, const WeightedToken&) = default;
};
struct Weights {
  std::string field;
  std::vector<WeightedToken> tokens;
  friend bool operator==(const Weights&, const Weights&) = default;
};
struct Bound {
  Value value;
  bool inclusive = true;
  friend bool operator==(const Bound&, const Bound&) = default;
};
struct Range {
  std::string field;
  std::optional<Bound> from, to;
  friend bool operator==(const Range&, const Range&) = default;
};
struct Exists {
  std::string field;
  friend bool operator==(const Exists&, const Exists&) = default;
};
struct Ids {
  std::vector<std::string> ids;
  friend bool operator==(const Ids&, const Ids&) = default;
};
struct All {
  friend bool operator==(const All&, const All&) = default;
};
struct None {
  friend bool operator==(const None&, const None&) = default;
};

struct Clause;

// How many of a bool's `should` must match. kAllFirst is Mode::kAuto for them.
struct MinimumMatch {
  enum class Kind : std::uint8_t { kCount, kPercent, kAllFirst };
  Kind kind = Kind::kCount;
  std::uint32_t number = 0;  // clauses; or 0 to 100
  friend bool operator==(const MinimumMatch&, const MinimumMatch&) = default;
};
struct Bool {
  std::vector<Clause> must, should, must_not, filter;
  std::optional<MinimumMatch> minimum;  // empty: one, or none beside `must` or `filter`
  bool operator==(const Bool&) const;
};
// The best of the scores, and `tie_breaker` of each other one.
struct Max {
  std::vector<Clause> of;
  Factor tie_breaker{0};
  bool operator==(const Max&) const;
};
struct Constant {
  std::vector<Clause> of;  // exactly one
  Factor score;
  bool operator==(const Constant&) const;
};
struct Boost {
  std::vector<Clause> of;  // exactly one
  Factor by;
  bool operator==(const Boost&) const;
};

struct Clause {
  std::variant<None, All, Words, Phrase, Prefix, Wildcard, Terms, Weights, Range, Exists, Ids, Bool, Max, Constant,
               Boost>
      node;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
  template <class T>
  T* as() {
    return std::get_if<T>(&node);
  }
  bool operator==(const Clause&) const;
};

// The largest depth that this library's functions are called with; readers make no deeper clauses. Depth counts clauses
// inside each other: a leaf has 1.
inline constexpr std::size_t kMaxClauseDepth = 128;

// "words", "term", "bool" …: its name in JSON.
std::string_view name_of(const Clause& clause);
// The field that a leaf names; null: it is no leaf, or has none to name. Empty: all text fields.
const std::string* field_of(const Clause& clause);
Clause boosted(Clause clause, Factor by);  // as it is, for 1

// Calls `visit(const Clause&)` for each child.
template <class Visit>
void for_each_child(const Clause& clause, const Visit& visit) {
  const auto all = [&](const std::vector<Clause>& clauses) {
    for (const Clause& one : clauses) visit(one);
  };
  if (const auto* both = clause.as<Bool>()) {
    all(both->must);
    all(both->should);
    all(both->must_not);
    all(both->filter);
  } else if (const auto* max = clause.as<Max>()) {
    all(max->of);
  } else if (const auto* constant = clause.as<Constant>()) {
    all(constant->of);
  } else if (const auto* boost = clause.as<Boost>()) {
    all(boost->of);
  }
}

// Whether something in it is Mode::kAuto or kAllFirst, where scores count.
bool has_auto(const Clause& clause);
// The same with each kAuto as `mode`, kAnd or kOr: the two searches of a query with kAuto.
Clause resolved(Clause clause, Mode mode);

// How many of `count` clauses must match. A percentage is rounded down, but above 0 it asks for at least one.
std::size_t matches_needed(const MinimumMatch& minimum, std::size_t count);
// "2" or "75%"; empty: anything else.
std::optional<MinimumMatch> minimum_match_of(std::string_view text);

}  // namespace frond::query
