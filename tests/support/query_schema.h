#pragma once
// The schema of the tests of queries: a field of each kind.
#include "common/schema/schema_json.h"

namespace frond::support {

inline schema::Schema query_schema() {
  return *schema::parse_schema(R"({"fields": {
    "title": {"type": "text", "weight": 3, "positions": true, "field_search": true},
    "body": {"type": "text", "positions": true},
    "note": {"type": "text", "field_search": true},
    "tag": {"type": "keyword", "many": true}, "lang": {"type": "keyword"}, "year": {"type": "integer"},
    "price": {"type": "float"}, "published": {"type": "date"}, "open": {"type": "boolean"}}})");
}

// Of learned sparse vectors.
inline schema::Schema vector_schema() {
  return *schema::parse_schema(R"({"fields": {
    "v": {"type": "weights"}, "body": {"type": "text"}, "lang": {"type": "keyword"}}, "scorer": "impact"})");
}

}  // namespace frond::support
