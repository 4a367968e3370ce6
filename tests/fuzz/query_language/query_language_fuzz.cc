// Any text as a query, against the JSON form: each clause comes back from its JSON, and has one normal form. The first
// byte chooses the options.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "common/query/bind.h"
#include "common/query/clause_text.h"
#include "common/query/json/clause_json.h"
#include "common/query/language/query_parser.h"
#include "common/query/limits.h"
#include "common/query/normal_form.h"
#include "common/text/utf8.h"
#include "tests/support/query_schema.h"

namespace {
using namespace frond::query;

QueryOptions options_of(unsigned choice) {
  QueryOptions options;
  options.mode = static_cast<Mode>(choice % 3);
  if ((choice / 3) % 4 == 1) options.minimum = MinimumMatch{MinimumMatch::Kind::kCount, 2};
  if ((choice / 3) % 4 == 2) options.minimum = MinimumMatch{MinimumMatch::Kind::kPercent, 75};
  if ((choice / 12) % 3 == 1) options.default_fields = {{"title", Factor()}};
  if ((choice / 12) % 3 == 2) options.default_fields = {{"title", Factor{512}}, {"note", Factor()}};
  return options;
}

void examine(const ParsedQuery& parsed, std::string_view q, const frond::schema::Schema& schema) {
  for (const Note& note : parsed.notes) {
    FROND_CHECK(note.code_point <= note.byte && note.byte <= 3 * q.size());
    FROND_CHECK(!message_of(note).empty() && frond::text::is_utf8(note.found));
  }
  FROND_CHECK(cost_of(parsed.clause).depth <= kMaxClauseDepth);
  const auto again = parse_clause(clause_json(parsed.clause), "q");
  FROND_CHECK(again && *again == parsed.clause);
  const auto bound = bind(parsed.clause, schema, "q");
  FROND_CHECK(bound.has_value());
  const Clause normal = normal_form(*bound, schema);
  const std::string key = cache_key(normal);
  FROND_CHECK(cache_key(normal_form(normal, schema)) == key);
  const auto from_json = parse_clause(key, "q");
  FROND_CHECK(from_json && cache_key(*from_json) == key);
  (void)clause_text(normal, schema);
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const frond::schema::Schema kSchema = frond::support::query_schema(), kNone;
  if (size == 0) return 0;
  const std::string_view q(reinterpret_cast<const char*>(data + 1), size - 1);
  const bool fields = data[0] % 8 != 7;
  const auto& schema = fields ? kSchema : kNone;
  QueryOptions options = options_of(data[0] / 8);
  if (!fields) options.default_fields.clear();
  const auto parsed = parse_query(q, schema, options);
  examine(parsed, q, schema);
  const bool words_alone = !options.minimum && options.default_fields.empty() && frond::text::is_utf8(q);
  if (words_alone && !may_have_signs(q))
    FROND_CHECK(parsed.clause == (Clause{Words{"", std::string(q), options.mode}}) && parsed.notes.empty());
  options.syntax = Syntax::kStrict;
  const auto strict = parse_query(q, schema, options);
  FROND_CHECK(strict.clause == parsed.clause && strict.notes == parsed.notes);
  FROND_CHECK(strict.refused != strict.notes.empty());
  options.syntax = Syntax::kPlain;
  const auto plain = parse_query(q, schema, options);
  FROND_CHECK(plain.notes.empty() && bind(plain.clause, schema, "q").has_value());
  return 0;
}
