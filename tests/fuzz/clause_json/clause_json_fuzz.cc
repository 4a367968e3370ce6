// Any bytes as the JSON form of a clause, and on to its normal form.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/check.h"
#include "common/query/bind.h"
#include "common/query/clause_text.h"
#include "common/query/json/clause_json.h"
#include "common/query/limits.h"
#include "common/query/normal_form.h"
#include "tests/support/query_schema.h"

namespace {
using namespace frond;

void examine(const query::Clause& clause, const schema::Schema& fields) {
  const auto bound = query::bind(clause, fields, "query");
  if (!bound) return;
  const query::Clause normal = query::normal_form(*bound, fields);
  FROND_CHECK(query::cache_key(query::normal_form(normal, fields)) == query::cache_key(normal));
  const auto rebound = query::bind(normal, fields, "query");
  FROND_CHECK(rebound && query::cache_key(*rebound) == query::cache_key(normal));
  (void)query::clause_text(normal, fields);
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const schema::Schema fields = support::query_schema(), vectors = support::vector_schema();
  const auto clause = query::parse_clause({reinterpret_cast<const char*>(data), size}, "query");
  if (!clause) {
    FROND_CHECK(!clause.error().message().empty());
    return 0;
  }
  const auto again = query::parse_clause(query::clause_json(*clause), "query");
  FROND_CHECK(again && *again == *clause);
  (void)query::check_limits(*clause, {});
  examine(*clause, fields);
  examine(*clause, vectors);
  return 0;
}
