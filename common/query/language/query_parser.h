#pragma once
// The query language, as people type it into `q` and `filter`:
//
//   list    = item item …                    required (+), excluded (- or NOT) or optional; `mode` combines optional
//   ones item    = any                            a OR b c is (a OR b) c any     = every OR every …               AND
//   binds tighter than OR every   = operand AND operand … operand = [+ | - | NOT] unit             in AND, + on one
//   operand stands for all; in OR it has no meaning unit    = word | "phrase"~2 | wor* | w?rd | field:unit | field:[a
//   TO b} | field:>=a | field:* | (list), each ^2.5
//
// Signs count where a unit begins or ends. Full-width forms, curly and angle quotes and every Unicode space are the
// ASCII ones. What has no meaning where it stands is text: unbalanced parentheses, an odd quote, AND without a
// neighbour, a name before `:` that is no field, a value that is not the column's, a phrase where nothing has
// positions; and what plain text has anyway: C++, 3*4, 2^10, a ? at the end of a word, addresses. Each is told as a
// note. With Syntax::kStrict a query with notes is refused; one without has the same meaning in both.
//
// A query without any sign is one `words` with all of its text. One written word beside signs that has several terms
// (hard-links) needs all of them; a run of words is combined by `mode`.
// Pure functions; their time is proportional to the query's length, and their recursion is bounded by kMaxParentheses.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/query/clause.h"
#include "common/query/limits.h"
#include "common/schema/schema.h"

namespace frond::query {

enum class Syntax : std::uint8_t { kQuery, kStrict, kPlain };

inline constexpr std::size_t kMaxParentheses = 20;  // inside each other; deeper ones are text
inline constexpr std::size_t kMaxNotes = 16;        // of one query: the first ones
inline constexpr std::size_t kMaxNoteBytes = 100;   // of what a note quotes

// A text field that words without a field are searched in.
struct DefaultField {
  std::string name;
  Factor boost;
};

struct QueryOptions {
  Syntax syntax = Syntax::kQuery;
  Mode mode = Mode::kAuto;
  std::optional<MinimumMatch> minimum;  // of the optional parts of the whole query; it overrides `mode`
  // None: the list of all text fields. One: in place of it. Several: each word scores by its best field. They have
  // field_search.
  std::vector<DefaultField> default_fields;
  std::size_t min_prefix = Limits().min_prefix;
  std::uint32_t max_slop = Limits().max_slop;  // larger ones become this, with a note
};

// Something that was taken as text.
struct Note {
  std::size_t byte = 0, code_point = 0;  // where it begins in q, from 0
  std::string found;                     // as typed
  std::string expected;                  // what would have made sense there
  std::string nearest;                   // a right form near it; may be empty
  friend bool operator==(const Note&, const Note&) = default;
};
// "at character 8: found 'yaer:2010', expected a field of the schema before ':'; try year:2010".
std::string message_of(const Note& note);

struct ParsedQuery {
  Clause clause;            // bind() accepts it with the same schema
  std::vector<Note> notes;  // by place
  bool refused = false;     // Syntax::kStrict, and there are notes: the first one is the error
};

// False: nothing in `q`, which is UTF-8, can be a sign, so that parse_query() gives one `words` with all of it, in the
// options' mode, and no notes. True: it may. One look at each byte.
bool may_have_signs(std::string_view q);

// Bytes of `q` that are not UTF-8 are U+FFFD. Never fails, whatever the text: limits are a matter of limits.h.
ParsedQuery parse_query(std::string_view q, const schema::Schema& schema, const QueryOptions& options);

}  // namespace frond::query
