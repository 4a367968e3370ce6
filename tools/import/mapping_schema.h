#pragma once
// From an index of Elasticsearch or OpenSearch to a collection: its mapping becomes a schema. Pure functions.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace frond::tools {

// A field of the index whose values become those of a field of the schema.
struct ImportedField {
  enum class Kind { kText, kKeyword, kInteger, kFloat, kBoolean, kDate };
  std::string path;    // of the member of documents: "author.name", also of a multi-field "author.name.keyword"
  std::string column;  // in the schema, as the broker's Elasticsearch API names it
  Kind kind = Kind::kText;
  std::size_t ignore_above = 0;  // characters of a keyword; longer ones are left out; 0: no limit
  bool in_seconds = false;       // numbers of dates are seconds, not milliseconds
};

struct ImportedMapping {
  std::string index;  // its own name, if it was named by an alias
  std::vector<ImportedField> fields;
  std::string settings;              // the body of PUT /v1/collections/{c}
  std::vector<std::string> skipped;  // "place (geo_point)"
};

// `answer`: that of GET /{index}. kInvalid: it is not one index; it keeps no _source; or, unless `skip`, it has fields
// of types, formats or analyzers that Frond does not have, or with members that would change what is found (copy_to,
// null_value, …), which the message names.
Result<ImportedMapping> read_mapping(std::string_view answer, bool skip);

}  // namespace frond::tools
